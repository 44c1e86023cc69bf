/** The styles of the header of pages, a part of the stylesheet. They use its design tokens. */
export const mastheadStyles = `
.masthead {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0 var(--space-5);
  min-height: 3rem;
  padding: 0 var(--space-4);
  background: var(--color-surface);
  border-bottom: 1px solid var(--color-hairline);
}
.masthead form { margin: 0; }
.brand { font-weight: 700; color: var(--color-text); text-decoration: none; }
.place { display: flex; align-items: center; gap: var(--space-3); min-width: 0; }
.place a { padding: var(--space-2) 0; }
.place a + a { color: var(--color-quiet); }
.sections ul { display: flex; flex-wrap: wrap; gap: 0 var(--space-4); margin: 0; padding: 0; list-style: none; }
.sections a { display: block; padding: 0.625rem 0 0.4375rem; text-decoration: none; border-bottom: 3px solid transparent; }
.sections a:hover { text-decoration: underline; }
.sections [aria-current] { color: var(--color-text); font-weight: 600; border-color: var(--color-accent); }
.person {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: var(--space-1) var(--space-3);
  margin-inline-start: auto;
  padding: var(--space-2) 0;
  font-size: var(--size-small);
}
button.menu { display: none; }
@media (min-width: 40.01rem) {
  div.menu { display: contents; }
}
@media (max-width: 40rem) {
  .place { flex: 1; flex-wrap: wrap; gap: 0 var(--space-3); }
  .person { gap: var(--space-2) var(--space-4); margin: 0; padding: var(--space-3) 0; }
}
@supports selector(:popover-open) {
  @media (max-width: 40rem) {
    .masthead { flex-wrap: nowrap; }
    button.menu { display: inline-flex; flex: none; min-height: 2.25rem; margin: var(--space-1) 0; padding: 0 var(--space-3); }
    div.menu {
      position: absolute;
      inset: 3.25rem var(--space-3) auto auto;
      min-width: 14rem;
      max-width: calc(100vw - 2 * var(--space-3));
      margin: 0;
      padding: var(--space-2) var(--space-4);
      background: var(--color-surface);
      color: inherit;
      border: 1px solid var(--color-line);
      border-radius: var(--radius);
      box-shadow: 0 0.5rem 1.5rem rgb(0 0 0 / 0.25);
    }
    .sections ul { display: block; }
    .sections a { padding: 0.625rem 0; border: 0; }
    .sections [aria-current] { padding-inline-start: var(--space-3); border-inline-start: 3px solid var(--color-accent); }
    .sections + .person { border-top: 1px solid var(--color-hairline); }
    .person span { flex-basis: 100%; }
  }
}
`;
