/** The styles of the pages of an organization, a part of the stylesheet. They use its design tokens. */
export const appStyles = `
main.wide { max-width: 76rem; }
main.wide .card, main.wide form + details { margin: 0 0 var(--space-4); }
main.wide p.actions, main.wide div > .card:last-child { margin-bottom: var(--space-4); }
main.wide .card > :last-child { margin-bottom: 0; }
main.wide form + details { margin-top: var(--space-4); }
.heading { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--space-3); margin-bottom: var(--space-4); }
.heading h1 { margin: 0; }
section.card h2 { margin-top: 0; }
.rows li > :first-child { min-width: 0; }
.rows.notes li { display: block; }
.rows.notes li > * { display: block; }
.steps li { margin-bottom: var(--space-2); }
.steps { margin: 0; }
.steps + h3, .actions + fieldset { margin-top: var(--space-4); }
.steps p { margin: 0; }
.empty { padding: var(--space-4); background: var(--color-sunken); border-radius: var(--radius); }
.empty > :last-child { margin-bottom: 0; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.badge { display: inline-block; flex: none; max-width: 100%; overflow-wrap: normal; text-wrap: balance; padding: 0 var(--space-2); border: 1px solid currentColor; border-radius: 0.75rem; font-size: var(--size-small); }
.badge.good { color: var(--color-success); }
.badge.busy { color: var(--color-accent); }
.badge.bad { color: var(--color-danger); }
.badge.quiet { color: var(--color-quiet); }
table { width: 100%; border-collapse: collapse; }
table.list th, table.list td { padding: var(--space-2) var(--space-3) var(--space-2) 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--color-hairline); }
table.list tbody th { font-weight: 600; }
table.list thead th { color: var(--color-quiet); font-size: var(--size-small); font-weight: 600; }
table.list form, table.list details { margin: 0; }
table.list tr:last-child > * { border-bottom: 0; }
.card > .list:first-child th[scope="col"] { padding-top: 0; }
table.list .actions { flex-wrap: nowrap; gap: var(--space-2); }
table.list .actions:has(.confirm[open]) { flex-wrap: wrap; }
table.list :is(button, .button) { min-height: 2.125rem; padding: var(--space-1) var(--space-3); font-size: var(--size-small); }
table.list summary { white-space: nowrap; }
table.list select { min-width: 7rem; min-height: 2.125rem; padding: var(--space-1) var(--space-2); }
@media (min-width: 52.01rem) {
  table.list th, table.list td { min-width: 6.5rem; }
  table.list tbody th { min-width: 8rem; }
  table.list td:has(.badge) { min-width: 10rem; }
  table.list code { white-space: nowrap; }
}
@media (max-width: 52rem) {
  table.list thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.list, table.list tbody, table.list tbody th, table.list td { display: block; }
  table.list tbody tr { display: flex; flex-wrap: wrap; align-items: center; gap: 0 var(--space-4); padding: var(--space-2) 0; border-bottom: 1px solid var(--color-hairline); }
  table.list tbody tr:last-child { padding-bottom: 0; border-bottom: 0; }
  .card > .list:first-child tbody tr:first-child { padding-top: 0; }
  table.list tbody th { flex-basis: 100%; }
  table.list tbody th, table.list td { min-width: 0; padding: var(--space-1) 0; border: 0; }
  table.list td:has(form, details) { flex-basis: 100%; }
  table.list td:empty { display: none; }
  table.list td[data-column]:not([data-column="Action"])::before { content: attr(data-column) ": "; color: var(--color-quiet); }
}
select, textarea, input[type="search"], input[type="url"], input[type="number"] {
  width: 100%;
  min-height: var(--target);
  padding: var(--space-2) var(--space-3);
  background: var(--color-surface);
  color: inherit;
  border: 1px solid var(--color-line);
  border-radius: var(--radius);
  font: inherit;
}
textarea { min-height: 6rem; }
textarea[aria-invalid="true"], select[aria-invalid="true"] { border: 2px solid var(--color-danger); }
.danger { color: var(--color-danger); border-color: var(--color-danger); }
.danger:hover { color: var(--color-danger); border-color: var(--color-text); }
.copyable { margin: 0 0 var(--space-4); }
.copyable pre { margin: 0 0 var(--space-2); }
button.copy { min-height: 1.75rem; margin-right: var(--space-2); padding: 0 var(--space-3); font-size: var(--size-small); }
details { margin: 0 0 var(--space-4); }
.confirm > summary { list-style: none; }
.confirm > summary::-webkit-details-marker { display: none; }
.confirm p { margin: var(--space-2) 0; }
summary { min-height: 1.5rem; cursor: pointer; color: var(--color-accent); }
.filters { display: flex; flex-wrap: wrap; align-items: end; gap: var(--space-3); margin-bottom: var(--space-4); }
.trail ol { display: flex; flex-wrap: wrap; gap: var(--space-1) 0; padding: 0; list-style: none; margin-bottom: var(--space-3); }
.trail a[aria-current] { color: var(--color-text); font-weight: 600; text-decoration: none; }
.topics ol { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); padding: 0; list-style: none; margin-bottom: var(--space-3); }
.topics a[aria-current] { color: var(--color-text); font-weight: 600; text-decoration: none; }
.trail li:not(:last-child)::after { content: "/"; padding: 0 var(--space-2); color: var(--color-quiet); }
.source { padding: var(--space-3); }
.code { overflow-x: auto; font-family: var(--font-code); font-size: var(--size-small); overflow-wrap: normal; }
.code table { width: auto; min-width: 100%; }
.code td { padding: 0 var(--space-2); white-space: pre; tab-size: 4; }
.code :is(b, i, u, var) { font: inherit; text-decoration: none; }
.code b { color: var(--color-keyword); }
.code i { color: var(--color-quiet); }
.code u { color: var(--color-success); }
.code var { color: var(--color-number); }
.code.wrapped td + td { white-space: pre-wrap; overflow-wrap: anywhere; }
.code td:first-child { color: var(--color-quiet); text-align: end; user-select: none; width: 1%; }
.code tr:target td, .code .marked td { background: var(--color-notice-surface); }
mark { background: none; color: inherit; }
.hit mark { background: var(--color-marked); color: var(--color-text); font-weight: 600; }
h3 { margin: 0 0 var(--space-1); font-size: 1rem; line-height: 1.4; }
.facet { margin-bottom: var(--space-4); }
.facet ul { margin: 0; }
.hit { padding: var(--space-3) var(--space-4); }
.hit p { margin: 0 0 var(--space-1); }
.lines { margin: 0; padding: 0; list-style: none; }
.lines li { display: flex; gap: var(--space-3); }
.lines a { min-width: 3rem; min-height: 1.5rem; text-align: end; font-size: var(--size-small); }
.lines code { background: none; padding: 0; white-space: pre-wrap; min-width: 0; }
.rows.card { padding: var(--space-2) var(--space-4); }
.graph { display: block; width: 100%; height: auto; max-height: 28rem; font-family: var(--font); font-size: 13px; }
.graph line { stroke: var(--color-hairline); stroke-width: 2; }
.graph circle { fill: var(--color-accent); }
.graph text { fill: var(--color-text); }
.graph text.centre { font-weight: 700; }
.graph .quiet { fill: var(--color-quiet); }
@media (max-width: 40rem) {
  [aria-labelledby="neighbours"] { display: none; }
}
.checks { margin: 0; }
.checks li { align-items: flex-start; flex-wrap: nowrap; }
.checks p { margin: 0; }
.sources li { margin-bottom: var(--space-2); }
.sources details, .sources + details { margin: 0; }
.names { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-5); padding: 0; list-style: none; }
.filters .field { flex: 1 1 12rem; margin: 0; }
`;
