import { appStyles } from './app-styles.ts';
import { asset } from './asset.ts';
import { mastheadStyles } from './masthead-styles.ts';

/**
 * The stylesheet of all pages. The custom properties are the design tokens; pages define no other colours or lengths.
 * The contrast of text is at least 4.5:1 on every background, in light and dark mode.
 */
const css = `
:root {
  color-scheme: light dark;
  --color-page: #f5f6f8;
  --color-surface: #ffffff;
  --color-sunken: #eef0f3;
  --color-text: #1b1f24;
  --color-quiet: #4f5864;
  --color-line: #767f8b;
  --color-hairline: #d5d9df;
  --color-accent: #1457b8;
  --color-accent-hover: #0e4290;
  --color-on-accent: #ffffff;
  --color-danger: #b3202c;
  --color-danger-surface: #fdf0f0;
  --color-notice-surface: #eef4fd;
  --color-success: #17663a;
  --color-keyword: #7b2fa0;
  --color-number: #944600;
  --color-marked: #fff3c4;
  --color-focus: #1457b8;
  --space-1: 0.25rem;
  --space-2: 0.5rem;
  --space-3: 0.75rem;
  --space-4: 1rem;
  --space-5: 1.5rem;
  --space-6: 2.5rem;
  --radius: 0.5rem;
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  --font-code: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  --size-small: 0.875rem;
  --size-title: 1.5rem;
  --measure: 34rem;
  --target: 2.75rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --color-page: #12151a;
    --color-surface: #1b2028;
    --color-sunken: #262c36;
    --color-text: #eceff3;
    --color-quiet: #b3bbc7;
    --color-line: #8893a1;
    --color-hairline: #373f4b;
    --color-accent: #8ab8ff;
    --color-accent-hover: #b3d1ff;
    --color-on-accent: #0c1626;
    --color-danger: #ff9a9a;
    --color-danger-surface: #381c20;
    --color-notice-surface: #1a2738;
    --color-success: #7fd6a2;
    --color-keyword: #d3a6ff;
    --color-number: #ffb877;
    --color-marked: #4d4218;
    --color-focus: #8ab8ff;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  background: var(--color-page);
  color: var(--color-text);
  font-family: var(--font);
  font-size: 1rem;
  line-height: 1.5;
  overflow-wrap: anywhere;
}
h1 { margin: 0 0 var(--space-4); font-size: var(--size-title); line-height: 1.25; }
h2 { margin: var(--space-5) 0 var(--space-2); font-size: 1.125rem; line-height: 1.3; }
p, ul, ol, dl, pre { margin: 0 0 var(--space-4); }
ul, ol { padding-left: var(--space-5); }
a { color: var(--color-accent); text-underline-offset: 0.15em; }
a:hover { color: var(--color-accent-hover); }
:focus-visible { outline: 3px solid var(--color-focus); outline-offset: 2px; border-radius: 0.125rem; }
code, pre { font-family: var(--font-code); font-size: var(--size-small); }
code { background: var(--color-sunken); padding: 0.1em 0.3em; border-radius: 0.25rem; unicode-bidi: isolate; }
pre {
  padding: var(--space-3);
  background: var(--color-sunken);
  border-radius: var(--radius);
  white-space: pre-wrap;
}
pre code { padding: 0; background: none; }
.skip { position: absolute; left: -100vw; padding: var(--space-3); background: var(--color-surface); }
.skip:focus { left: var(--space-3); top: var(--space-3); }
main { max-width: var(--measure); margin: 0 auto; padding: var(--space-5) var(--space-4) var(--space-6); }
.card {
  padding: var(--space-5);
  background: var(--color-surface);
  border: 1px solid var(--color-hairline);
  border-radius: var(--radius);
}
.card > :first-child { margin-top: 0; }
.card > :last-child, .summary > :last-child, .notice > :last-child { margin-bottom: 0; }
.card + .card { margin-top: var(--space-4); }
@media (max-width: 30rem) {
  .card { padding: var(--space-4); }
}
.after { margin: var(--space-4) 0 0; }
.quiet { color: var(--color-quiet); font-size: var(--size-small); }
.summary, .notice { margin: 0 0 var(--space-4); padding: var(--space-3) var(--space-4); border-radius: var(--radius); }
.summary { background: var(--color-danger-surface); border: 2px solid var(--color-danger); }
.summary h2 { margin-top: 0; }
.summary a { color: var(--color-danger); }
.notice { background: var(--color-notice-surface); border: 1px solid var(--color-line); }
.field { margin: 0 0 var(--space-4); }
.field label, legend { display: block; padding: 0; margin-bottom: var(--space-1); font-weight: 600; }
.hint { display: block; margin-bottom: var(--space-1); color: var(--color-quiet); font-size: var(--size-small); }
.error { display: block; margin-bottom: var(--space-1); color: var(--color-danger); font-weight: 600; }
input[type="text"], input[type="email"], input[type="password"] {
  width: 100%;
  min-height: var(--target);
  padding: var(--space-2) var(--space-3);
  background: var(--color-surface);
  color: inherit;
  border: 1px solid var(--color-line);
  border-radius: var(--radius);
  font: inherit;
}
input[aria-invalid="true"] { border: 2px solid var(--color-danger); }
input.code { font-family: var(--font-code); letter-spacing: 0.15em; text-transform: uppercase; }
fieldset { margin: 0 0 var(--space-4); padding: 0; border: 0; min-width: 0; }
.choice { display: flex; align-items: center; gap: var(--space-3); min-height: var(--target); padding: var(--space-1) 0; }
.choice input { flex: none; width: 1.375rem; height: 1.375rem; margin: 0; accent-color: var(--color-accent); }
.choice label { margin: 0; font-weight: 400; }
.actions { display: flex; flex-wrap: wrap; gap: var(--space-3); margin: 0; }
.rows { padding: 0; list-style: none; }
.rows li {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: var(--space-2) var(--space-3);
  padding: var(--space-2) 0;
  border-bottom: 1px solid var(--color-hairline);
}
.rows li:last-child { padding-bottom: 0; border-bottom: 0; }
.rows form { margin: 0; }
button, .button {
  display: inline-flex;
  align-items: center;
  min-height: var(--target);
  padding: var(--space-2) var(--space-5);
  background: var(--color-surface);
  color: var(--color-accent);
  border: 1px solid var(--color-accent);
  border-radius: var(--radius);
  font: inherit;
  font-weight: 600;
  text-decoration: none;
  overflow-wrap: normal;
  cursor: pointer;
}
button:hover, .button:hover { color: var(--color-accent-hover); border-color: var(--color-accent-hover); }
.primary { background: var(--color-accent); color: var(--color-on-accent); }
.primary:hover { background: var(--color-accent-hover); color: var(--color-on-accent); }
button.plain { min-height: 1.5rem; padding: 0; border: 0; background: none; font-weight: 400; text-decoration: underline; }
dl { display: grid; grid-template-columns: minmax(6rem, auto) 1fr; gap: var(--space-1) var(--space-4); }
dt { color: var(--color-quiet); }
dd { margin: 0; }
dd > :last-child { margin-bottom: 0; }
@media (max-width: 30rem) {
  dl { grid-template-columns: 2fr 3fr; }
}
`;

export const stylesheet = asset(
  '/.auth/assets/pages.css',
  'text/css; charset=utf-8',
  css + mastheadStyles + appStyles,
);
