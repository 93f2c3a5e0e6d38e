// What must hold of the page.
import assert from 'node:assert/strict';
import { countOf, difference, payload, pixel, pixels, pointAt, readout, settled } from './browser.mjs';
import { EVIL } from './pages.mjs';

const globe = 'globe.html';
const uncheck = async (page, ...layers) => {
  for (const layer of layers) await page.uncheck(`#layer-${layer}`);
  await settled(page);
};
const near = (got, wanted, within, what) =>
  assert.ok(Math.abs(got - wanted) <= within, `${what}: ${got}, expected ${wanted} ± ${within}`);

/** The colour that heat() gives a density, by the payload's own table. */
function colourOf({ scene }, density) {
  const heat = Buffer.from(scene.heat, 'base64');
  const low = scene.density.shown_low;
  const share = Math.min(1, Math.max(0, (Math.log(density) - low) / (scene.density.high - low)));
  return [...heat.subarray(3 * Math.round(255 * share)).subarray(0, 3)];
}

async function scrub(page, time) {
  await page.locator('#time').evaluate((slider, value) => {
    slider.value = value;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }, String(time));
  await settled(page);
}

/** Places of a sheet of 16-bit numbers that are within `degrees` of a globe's centre, in shares of the picture. */
function aroundCentre(base64, centre, degrees) {
  const raw = Buffer.from(base64, 'base64'), [phi0, lambda0] = centre.map((angle) => (angle * Math.PI) / 180);
  const places = [];
  for (let at = 0; at < raw.length; at += 4) {
    const lambda = (raw.readInt16LE(at) / 32767) * Math.PI - lambda0, phi = (raw.readInt16LE(at + 2) / 32767) * (Math.PI / 2);
    const across = Math.cos(phi) * Math.sin(lambda);
    const up = Math.cos(phi0) * Math.sin(phi) - Math.sin(phi0) * Math.cos(phi) * Math.cos(lambda);
    const near = Math.sin(phi0) * Math.sin(phi) + Math.cos(phi0) * Math.cos(phi) * Math.cos(lambda);
    if (near > Math.cos((degrees * Math.PI) / 180)) places.push([(1 + 0.97 * across) / 2, (1 - 0.97 * up) / 2]);
  }
  return places;
}

/** Share of the places with a pixel of the ink on them, or next to them. */
function inked(image, places, ink) {
  const side = 1 / image.width;
  const close = (colour) => ink.every((c, k) => Math.abs(c - colour[k]) <= 60);
  const found = places.filter(([x, y]) =>
    [-1, 0, 1].some((i) => [-1, 0, 1].some((j) => close(pixel(image, x + i * side, y + j * side)))));
  return found.length / places.length;
}

export const tests = [
  {
    name: 'nothing leaves the page',
    file: globe,
    async check(page, { requests }) {
      await page.click('#play');
      await page.click('#theme');
      await settled(page);
      assert.deepEqual(requests.filter((url) => !url.startsWith('file://') && !url.startsWith('data:')), []);
      assert.equal(requests.filter((url) => url.startsWith('file://')).length, 1);
    },
  },
  {
    name: 'the globe has the colours of the density',
    file: globe,
    async check(page, { pages }) {
      await uncheck(page, 'lines', 'test');
      const data = await payload(page), image = await pixels(page, 'stage');
      assert.equal(pixel(image, 0.01, 0.01)[3], 0, 'a corner is not covered');
      for (const [x, y] of [[0.5, 0.5], [0.35, 0.6], [0.6, 0.4], [0.5, 0.72]]) {
        await pointAt(page, 'stage', x, y);
        const { first, second } = await readout(page);
        const wanted = colourOf(data, pages.density('quakes.model', 'latitude,longitude', first, second));
        pixel(image, x, y).slice(0, 3).forEach((value, k) => near(value, wanted[k], 9, `pixel ${x} ${y}`));
      }
      await uncheck(page, 'density');
      assert.ok(difference(image, await pixels(page, 'stage')) > 0.5, 'without its density the globe is another');
    },
  },
  {
    name: 'dots and coasts are drawn up to the centre of the globe',
    file: globe,
    async check(page) {
      const { scene } = await payload(page);
      await pointAt(page, 'stage', 0.5, 0.5);
      const { first, second } = await readout(page);
      await uncheck(page, 'density', 'test');
      const coasts = aroundCentre(scene.land.points, [first, second], 9);
      const dots = aroundCentre(scene.layers[0].points, [first, second], 7);
      assert.ok(coasts.length > 10 && dots.length > 10, `${coasts.length} points of coasts, ${dots.length} dots`);
      assert.ok(inked(await pixels(page, 'stage'), coasts, [90, 90, 95]) > 0.9, 'coasts');
      await uncheck(page, 'lines');
      await page.check('#layer-training');
      const colour = [1, 3, 5].map((i) => parseInt(scene.layers[0].colour.slice(i, i + 2), 16));
      assert.ok(inked(await pixels(page, 'stage'), dots, colour) > 0.9, 'dots');
    },
  },
  {
    name: 'hover reads the density',
    file: globe,
    async check(page, { pages }) {
      const { scene } = await payload(page);
      assert.ok(scene.density.precision < 0.03);
      for (const [id, x, y] of [['stage', 0.5, 0.5], ['stage', 0.3, 0.4], ['flat', 0.55, 0.4], ['flat', 0.2, 0.62]]) {
        await pointAt(page, id, x, y);
        const { first, second, density, text } = await readout(page);
        const wanted = pages.density('quakes.model', 'latitude,longitude', first, second);
        // Of the code; two digits; the place itself is told to 0.1°.
        const within = wanted * (scene.density.precision + 0.05 + 0.02);
        near(density, wanted, within, `${id}: ${text}`);
        const km2 = Number(text.match(/· ([\d.]+) ×/)[1]);
        near(km2, Number((density / 40589732.5).toExponential().split('e')[0]), 0.06 * km2, `per km²: ${text}`);
      }
      await pointAt(page, 'stage', 0.01, 0.01);
      assert.match(await page.textContent('#readout'), /Point at the picture/);
    },
  },
  {
    name: 'drag turns the globe by as much',
    file: globe,
    async check(page) {
      const before = await pixels(page, 'stage');
      await pointAt(page, 'stage', 0.5, 0.5);
      const from = await readout(page);
      await page.mouse.down();
      await pointAt(page, 'stage', 0.6, 0.5);
      await pointAt(page, 'stage', 0.7, 0.5);
      await page.mouse.up();
      await pointAt(page, 'stage', 0.5, 0.5);
      const to = await readout(page);
      // 0.4 of the half width, the radius being 0.97 of it.
      const turned = ((from.second - to.second + 540) % 360) - 180;
      near(turned, ((0.4 / 0.97) * 180) / Math.PI, 0.6, 'degrees of longitude');
      near(to.first, from.first, 0.2, 'latitude');
      assert.ok(difference(before, await pixels(page, 'stage')) > 0.1);
    },
  },
  {
    name: 'zoom by buttons, wheel and keys, and back',
    file: globe,
    async check(page) {
      const covered = async () => {
        const image = await pixels(page, 'stage');
        return image.data.filter((value, i) => i % 4 === 3 && value > 0).length / (image.data.length / 4);
      };
      const whole = await covered();
      near(whole, (Math.PI / 4) * 0.97 ** 2, 0.01, 'share of the canvas');
      await page.click('#zoom-in');
      await page.click('#zoom-in');
      const larger = await covered();
      assert.ok(larger > whole + 0.15);
      await page.click('#zoom-out');
      assert.ok((await covered()) < larger);
      await page.click('#view-reset');
      near(await covered(), whole, 1e-3, 'after reset');
      await page.focus('#stage');
      await pointAt(page, 'stage', 0.5, 0.5);
      await page.mouse.wheel(0, -400);
      await settled(page);
      assert.ok((await covered()) > whole + 0.1, 'wheel');
      await page.keyboard.press('Home');
      near(await covered(), whole, 1e-3, 'after Home');
      await page.keyboard.press('+');
      assert.ok((await covered()) > whole, 'the + key');
    },
  },
  {
    name: 'scrub moves the samples from the base to the data',
    file: globe,
    async check(page) {
      const { scene } = await payload(page);
      await uncheck(page, 'test');
      assert.equal(countOf(await pixels(page, 'flat'), scene.samples.colour, 12), 0, 'no samples at first');
      await scrub(page, 1);
      assert.ok(await page.isChecked('#layer-samples'), 'scrubbing shows them');
      const end = { flat: await pixels(page, 'flat'), stage: await pixels(page, 'stage') };
      await scrub(page, 0.5);
      const middle = { flat: await pixels(page, 'flat'), stage: await pixels(page, 'stage') };
      await scrub(page, 0);
      const start = { flat: await pixels(page, 'flat'), stage: await pixels(page, 'stage') };
      for (const id of ['flat', 'stage']) {
        assert.ok(difference(start[id], end[id]) > 0.01, `${id}: 0 and 1`);
        assert.ok(difference(start[id], middle[id]) > 0.005, `${id}: 0 and 0.5`);
        assert.ok(countOf(end[id], scene.samples.colour) > 200, `${id}: samples are seen`);
      }
      // The base is uniform; in the end there is hardly a sample around Antarctica.
      const south = (image) => countOf(image.flat, scene.samples.colour, 30, 0.9);
      assert.ok(south(start) > 3 * south(end), `${south(start)} and ${south(end)} pixels`);
      assert.equal(await page.textContent('#time-text'), 't = 0.00');
    },
  },
  {
    name: 'play and pause',
    file: globe,
    async check(page) {
      const time = async () => Number(await page.inputValue('#time'));
      assert.equal(await time(), 1);
      await page.click('#play');
      await page.waitForTimeout(700);
      assert.equal(await page.textContent('#play .word'), 'Pause');
      await page.click('#play');
      await settled(page);
      const paused = await time();
      assert.ok(paused > 0.02 && paused < 0.9, `at ${paused}`);
      await page.waitForTimeout(200);
      assert.equal(await time(), paused);
      assert.equal(await page.textContent('#play .word'), 'Play the flow');
    },
  },
  {
    name: 'each layer can be shown and hidden',
    file: globe,
    async check(page) {
      for (const layer of ['density', 'lines', 'training', 'test', 'samples']) {
        const before = { stage: await pixels(page, 'stage'), flat: await pixels(page, 'flat') };
        await page.click(`#layer-${layer}`);
        for (const id of ['stage', 'flat'])
          assert.ok(difference(before[id], await pixels(page, id)) > 0.003, `${layer} on ${id}`);
        await page.click(`#layer-${layer}`);
        for (const id of ['stage', 'flat'])
          assert.ok(difference(before[id], await pixels(page, id)) < 1e-4, `${layer} on ${id}, back`);
      }
      const { scene } = await payload(page);
      assert.deepEqual(scene.layers.map((layer) => layer.id), ['training', 'test']);
      assert.notEqual(scene.layers[0].colour, scene.layers[1].colour);
    },
  },
  {
    name: 'everything by keyboard, in order and with a name',
    file: globe,
    async check(page) {
      const order = [];
      for (let i = 0; i < 18; ++i) {
        await page.keyboard.press('Tab');
        order.push(await page.evaluate(() => document.activeElement.id || document.activeElement.tagName));
      }
      assert.deepEqual(order, [
        'A', 'theme', 'stage', 'zoom-in', 'zoom-out', 'view-reset', 'flat', 'layer-density', 'layer-lines', 'layer-training',
        'layer-test', 'layer-samples', 'play', 'time', 'SUMMARY', 'SUMMARY', 'SUMMARY', 'BODY',
      ]);
      const nameless = await page.evaluate(() =>
        [...document.querySelectorAll('button, input, canvas, img, svg[role], [tabindex]')]
          .filter((e) => !e.hidden && !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.[0]?.textContent.trim()))
          .map((e) => e.outerHTML));
      assert.deepEqual(nameless, []);
      await page.focus('#stage');
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
      await page.keyboard.press('Home');
      const from = await readout(page);
      await page.keyboard.press('ArrowRight');
      const to = await readout(page);
      near(((to.second - from.second + 540) % 360) - 180, ((0.12 / 0.97) * 180) / Math.PI, 0.3, 'a step to the east');
      await page.waitForTimeout(350);
      assert.equal(await page.textContent('#spoken'), to.text);
      await page.focus('#flat');
      await page.keyboard.press('ArrowUp');
      near((await readout(page)).first, 2.5, 0.05, 'the cursor of the map');
      await page.focus('#time');
      await page.keyboard.press('Home');
      await settled(page);
      assert.equal(await page.textContent('#time-text'), 't = 0.00');
    },
  },
  {
    name: 'a click on the map turns the globe there',
    file: globe,
    async check(page) {
      await pointAt(page, 'flat', 0.25, 0.4);
      const there = await readout(page);
      await page.mouse.down();
      await page.mouse.up();
      await pointAt(page, 'stage', 0.5, 0.5);
      const centre = await readout(page);
      // A click is told to whole pixels.
      near(centre.first, there.first, 0.7, 'latitude');
      near(centre.second, there.second, 0.9, 'longitude');
    },
  },
  {
    name: 'tables and curves',
    file: globe,
    async check(page) {
      for (const text of ['uniform density', 'kernel density (one bandwidth)', 'this model'])
        assert.ok(await page.locator('#scores').getByText(text).isVisible(), text);
      assert.match(await page.textContent('#scores'), /2\.5310/);
      assert.match(await page.textContent('#check'), /total mass/);
      assert.match(await page.textContent('#configuration'), /riemflow report quakes\.model earthquakes --log quakes\.jsonl -o globe\.html/);
      assert.equal(await page.locator('#curves svg path.curve').count(), 3);
      await page.locator('#curves').scrollIntoViewIfNeeded();
      const box = await page.locator('#curves svg').first().boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      assert.match(await page.locator('#curves .value').first().textContent(), /^[\d.]+ at \d+$/);
    },
  },
  {
    name: 'stages of a training',
    file: 'torus.html',
    async check(page) {
      assert.deepEqual(await page.locator('#curves .stages li').allTextContents(), ['flow 1, flow matching', 'flow 1, likelihood']);
      // The likelihood with its validation, the loss of flow matching, the evaluations: each in a chart of its own.
      assert.deepEqual(await page.locator('#curves figcaption strong').allTextContents(),
        ['Negative log-likelihood', 'Loss of flow matching', 'Evaluations of the field']);
      const [training, validation] = await page.locator('#curves svg').first().locator('path.curve')
        .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')));
      assert.equal(training.match(/M/g).length, 1);
      assert.equal(validation.match(/M/g).length, 2, 'a line between the stages');
      assert.match(await page.textContent('#learning'), /40 iterations in 2 stages; the validation was lowest at iteration 40, 2\.1000 nats/);
    },
  },
  {
    name: 'light and dark',
    file: globe,
    options: { colorScheme: 'dark' },
    async check(page) {
      const ground = () =>
        page.evaluate(() => Number(getComputedStyle(document.documentElement).backgroundColor.match(/\d+/)[0]));
      assert.ok((await ground()) < 60, 'dark as the system says');
      await page.click('#theme');
      assert.ok((await ground()) > 200, 'light as the reader says');
      await page.click('#theme');
      assert.ok((await ground()) < 60);
    },
  },
  {
    name: 'a phone: no sideways scrolling, touch turns',
    file: globe,
    options: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
    async check(page) {
      await page.evaluate(() => document.querySelectorAll('details').forEach((part) => (part.open = true)));
      await settled(page);
      const wide = await page.evaluate(() => {
        const width = document.documentElement.clientWidth;
        return [...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > width + 1 && !e.closest('.unseen'))
          .map((e) => `${e.tagName} ${e.id} ${e.textContent.trim().slice(0, 40)}`);
      });
      assert.deepEqual(wide, []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
      await page.evaluate(() => document.getElementById('stage').scrollIntoView({ block: 'center' }));
      const before = await pixels(page, 'stage');
      const box = await page.locator('#stage').boundingBox();
      const session = await page.context().newCDPSession(page);
      const touch = (type, x) => session.send('Input.dispatchTouchEvent', {
        type, touchPoints: type === 'touchEnd' ? [] : [{ x: box.x + x * box.width, y: box.y + 0.5 * box.height }],
      });
      await touch('touchStart', 0.5);
      for (const x of [0.55, 0.6, 0.7]) await touch('touchMove', x);
      await touch('touchEnd');
      assert.ok(difference(before, await pixels(page, 'stage')) > 0.1);
    },
  },
  {
    name: 'reduced motion: nothing moves by itself',
    file: globe,
    options: { reducedMotion: 'reduce' },
    async check(page) {
      const before = await pixels(page, 'stage');
      await page.waitForTimeout(400);
      assert.ok(difference(before, await pixels(page, 'stage')) === 0);
      assert.equal(await page.inputValue('#time'), '1');
      assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
    },
  },
  {
    name: 'without WebGL the flat map is there',
    file: globe,
    gl: false,
    async check(page, { problems }) {
      problems.length = 0; // Chromium says that there is none
      assert.ok(await page.isVisible('#no-webgl'));
      assert.ok(!(await page.isVisible('#stage')));
      await uncheck(page, 'lines', 'test');
      const data = await payload(page), image = await pixels(page, 'flat');
      const dark = countOf(image, '#' + Buffer.from(data.scene.heat, 'base64').subarray(3 * 230, 3 * 230 + 3).toString('hex'), 60);
      assert.ok(dark > 50, 'there is density on it');
      await pointAt(page, 'flat', 0.55, 0.4);
      assert.match(await page.textContent('#readout'), /per sr/);
    },
  },
  {
    name: 'without scripts there is the picture, and all tables',
    file: globe,
    options: { javaScriptEnabled: false },
    async check(page) {
      const still = await page.locator('img.still').boundingBox();
      assert.ok(still.width > 300 && still.height > 100, 'the picture is decoded');
      for (const id of ['scores', 'check', 'configuration']) assert.ok(await page.isVisible(`#${id} table`), id);
      assert.ok(!(await page.isVisible('#views')));
    },
  },
  {
    name: 'names are text',
    file: 'evil.html',
    async check(page) {
      assert.equal(await page.locator('img').count(), 0);
      assert.equal(await page.textContent('h1'), EVIL);
      assert.ok((await page.title()).startsWith(EVIL));
      assert.ok((await page.textContent('#scores')).includes(`${EVIL}.csv`));
      assert.equal((await payload(page)).scene.axes[0], EVIL);
      await pointAt(page, 'flat', 0.5, 0.5);
      assert.ok((await page.textContent('#readout')).includes('</script><script>alert(2)'));
      const policy = await page.getAttribute('meta[http-equiv="Content-Security-Policy"]', 'content');
      assert.match(policy, /^default-src 'none'; script-src 'sha256-/);
      // Even a script that got in would not run.
      await page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'window.intruder = true';
        document.body.append(script);
      });
      assert.equal(await page.evaluate(() => window.intruder), undefined);
    },
    forgiven: /Content Security Policy/,
  },
  {
    name: 'a torus',
    file: 'torus.html',
    async check(page, { pages }) {
      await uncheck(page, 'lines', 'samples');
      const data = await payload(page), image = await pixels(page, 'stage');
      assert.equal(pixel(image, 0.5, 0.48)[3], 0, 'there is a hole');
      for (const [x, y] of [[0.5, 0.85], [0.2, 0.5]]) {
        await pointAt(page, 'stage', x, y);
        const { first, second, density } = await readout(page);
        const wanted = pages.density('torus.model', 'angle_1,angle_2', first, second);
        near(density, wanted, wanted * (data.scene.density.precision + 0.07), `density at ${first} ${second}`);
      }
      await page.focus('#stage');
      await page.keyboard.press('ArrowLeft');
      assert.ok(difference(image, await pixels(page, 'stage')) > 0.02);
    },
  },
  {
    name: 'a hyperbolic disk moves by isometries',
    file: 'disk.html',
    async check(page, { pages }) {
      const data = await payload(page);
      await pointAt(page, 'stage', 0.65, 0.5);
      const from = await readout(page);
      near(from.first, 0.3 / 0.97, 0.01, 'x');
      const wanted = pages.density('disk.model', 'x,y', from.first, from.second);
      near(from.density, wanted, wanted * (data.scene.density.precision + 0.06), 'density');
      await page.click('#layer-samples');
      await pointAt(page, 'stage', 0.5, 0.5);
      await page.mouse.down();
      await pointAt(page, 'stage', 0.65, 0.5);
      await page.mouse.up();
      await pointAt(page, 'stage', 0.5, 0.5);
      near((await readout(page)).first, -0.3, 0.01, 'what is now in the middle');
      // The rim stays.
      await pointAt(page, 'stage', 0.5 + 0.97 / 2 - 0.004, 0.5);
      assert.ok((await readout(page)).first > 0.95);
    },
  },
];
