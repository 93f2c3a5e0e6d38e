// Light or dark: the system's choice until the reader makes one.

const DARK = '(prefers-color-scheme: dark)';

export function startTheme(button: HTMLButtonElement, changed: () => void): void {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia(DARK).matches);
  const show = () => {
    button.textContent = dark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', dark() ? 'Change to light colours' : 'Change to dark colours');
    changed();
  };
  button.hidden = false;
  button.addEventListener('click', () => {
    root.dataset.theme = dark() ? 'light' : 'dark';
    show();
  });
  matchMedia(DARK).addEventListener('change', show);
  show();
}
