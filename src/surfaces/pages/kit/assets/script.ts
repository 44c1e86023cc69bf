import { asset } from './asset.ts';

/**
 * The only script of the pages. Every page works without it; it adds three conveniences:
 * - A button that copies the text of each element with the attribute `data-copy`. The value of the attribute is the
 *   accessible name of the button.
 * - A form that is being sent is not sent again by another click.
 * - Fresh content for each element with an id and the attribute `data-live`: the script requests the page again after
 *   that number of seconds and replaces the element, until the service no longer marks it.
 */
const source = `
'use strict';
for (const element of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', element.dataset.copy);
  const said = document.createElement('span');
  said.className = 'quiet';
  said.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(element.textContent);
      said.textContent = 'Copied.';
    } catch {
      getSelection().selectAllChildren(element);
      said.textContent = 'Selected. Press Ctrl+C or Cmd+C to copy.';
    }
  });
  element.after(button, said);
}

document.addEventListener('submit', (event) => {
  if (event.target.dataset.sent !== undefined) event.preventDefault();
  event.target.dataset.sent = '';
});
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent;
});

let failures = 0;
async function refresh() {
  const elements = [...document.querySelectorAll('[data-live][id]')];
  if (document.hidden || elements.some((element) => element.contains(document.activeElement))) return plan();
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (!answer.ok || answer.redirected) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    failures = 0;
    for (const element of elements) {
      const next = fresh.getElementById(element.id);
      if (next !== null && next.outerHTML !== element.outerHTML) element.replaceWith(document.importNode(next, true));
    }
  } catch {
    failures += 1;
  }
  plan();
}
function plan() {
  const element = document.querySelector('[data-live][id]');
  if (element === null || failures > 5) return;
  const seconds = Math.max(2, Number(element.dataset.live) || 5);
  setTimeout(refresh, seconds * 1000 * 2 ** failures);
}
plan();
`;

export const script = asset('/.auth/assets/pages.js', 'text/javascript; charset=utf-8', source);
