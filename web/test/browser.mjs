// Debian's Chromium, and what the tests ask of a page.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

export const CHROMIUM = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

const SOFTWARE_GL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const NO_GL = ['--disable-3d-apis'];

export const launch = (gl = true) =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', ...(gl ? SOFTWARE_GL : NO_GL)] });

/** A page that is open, with what went wrong in it and what it asked for. */
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, ...options });
  const page = await context.newPage();
  const problems = [], requests = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`file://${file}`);
  if (options.javaScriptEnabled !== false) await settled(page);
  return { page, problems, requests, close: () => context.close() };
}

/** Two frames: what was asked for has been drawn. */
export const settled = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** The pixels of a canvas as { width, height, data }. */
export async function pixels(page, id) {
  await settled(page);
  return page.evaluate((name) => {
    const canvas = document.getElementById(name), copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext('2d');
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    let text = '';
    for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
    return { width: copy.width, height: copy.height, base64: btoa(text) };
  }, id).then(({ width, height, base64 }) => ({ width, height, data: Buffer.from(base64, 'base64') }));
}

/** In shares of the width and the height, from the top left. */
export function pixel(image, x, y) {
  const at = 4 * (Math.floor(y * image.height) * image.width + Math.floor(x * image.width));
  return [...image.data.subarray(at, at + 4)];
}

/** Share of the pixels that differ. */
export function difference(a, b) {
  let n = 0;
  for (let i = 0; i < a.data.length; i += 4)
    for (let k = 0; k < 4; ++k)
      if (Math.abs(a.data[i + k] - b.data[i + k]) > 8) {
        ++n;
        break;
      }
  return n / (a.data.length / 4);
}

/** Number of pixels near a colour "#rrggbb", below a share of the height. */
export function countOf(image, hex, within = 30, below = 0) {
  const colour = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  let n = 0;
  for (let i = 4 * image.width * Math.floor(below * image.height); i < image.data.length; i += 4)
    if (image.data[i + 3] > 200 && colour.every((c, k) => Math.abs(c - image.data[i + k]) <= within)) ++n;
  return n;
}

/** What the readout says: { first, second } in degrees or coordinates, and the density in its first unit. */
export async function readout(page) {
  await settled(page);
  const text = await page.textContent('#readout');
  const places = text.split(':')[0].split(', ').map((part) => Number(part.match(/([−\d.]+)°?(?: [NSEW])?$/)[1].replace('−', '-')));
  if (/° S/.test(text)) places[0] *= -1;
  if (/° W/.test(text)) places[1] *= -1;
  const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  const [, digits, exponent] = text.match(/: ≤? ?([\d.]+)(?: × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))? per/);
  const power = (exponent ?? '⁰').replace(/./gu, (c) => (c === '⁻' ? '-' : superscripts.indexOf(c)));
  return { text, first: places[0], second: places[1], density: Number(digits) * 10 ** Number(power) };
}

/** Puts the pointer on a canvas, in shares of its box from the top left. */
export async function pointAt(page, id, x, y) {
  await page.locator(`#${id}`).scrollIntoViewIfNeeded();
  const box = await page.locator(`#${id}`).boundingBox();
  await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  await settled(page);
}

/** The payload as the tool wrote it. */
export const payload = (page) => page.evaluate(() => JSON.parse(document.getElementById('payload').textContent));
