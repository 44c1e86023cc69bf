import type { VNode } from 'preact';
import type { EntityRecord, RelationRecord } from '../../../features/knowledge/entity-record.ts';
import { el } from '../kit/html/element.ts';
import { nameText } from '../kit/html/name.ts';

/** Maximum number of neighbours in the drawing; the table lists all. */
const maxDrawn = 16;

const size = { width: 720, height: 420 } as const;
const centre = { x: size.width / 2, y: size.height / 2 } as const;

interface Drawn {
  readonly entity: EntityRecord;
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

/**
 * A drawing of an entity and its neighbours. For screen readers it is one image with a description; the table next to
 * it has the same names as links.
 */
export function neighboursDrawing(
  entity: EntityRecord,
  neighbours: readonly EntityRecord[],
  edges: readonly RelationRecord[],
): VNode {
  const drawn = place(neighbours.slice(0, maxDrawn), edges, entity.key);
  const left = neighbours.length - drawn.length;
  const description = `${nameText(entity.name, 80)} in the middle, connected with ${drawn
    .map(({ entity: each }) => nameText(each.name, 40))
    .join(', ')}${left > 0 ? ` and ${left} more` : ''}.`;
  return el(
    'svg',
    {
      class: 'graph',
      viewBox: `0 0 ${size.width} ${size.height}`,
      role: 'img',
      'aria-labelledby': 'drawing-title drawing-text',
    },
    el('title', { id: 'drawing-title' }, 'Neighbours'),
    el('desc', { id: 'drawing-text' }, description),
    ...drawn.map(({ x, y }) => el('line', { x1: centre.x, y1: centre.y, x2: x, y2: y })),
    ...drawn.map((each) => neighbour(each)),
    el('circle', { cx: centre.x, cy: centre.y, r: 9, class: 'centre' }),
    el(
      'text',
      { x: centre.x, y: centre.y - 16, 'text-anchor': 'middle', class: 'centre' },
      nameText(entity.name, 32),
    ),
  );
}

/** Places the neighbours on an ellipse around the entity. */
function place(
  neighbours: readonly EntityRecord[],
  edges: readonly RelationRecord[],
  key: string,
): readonly Drawn[] {
  return neighbours.map((entity, index) => {
    const angle = (2 * Math.PI * index) / neighbours.length - Math.PI / 2;
    const edge = edges.find(({ from, to }) => [from, to].includes(entity.key) && [from, to].includes(key));
    return {
      entity,
      label: edge?.kind.replaceAll('_', ' ') ?? '',
      x: Math.round(centre.x + Math.cos(angle) * size.width * 0.36),
      y: Math.round(centre.y + Math.sin(angle) * size.height * 0.4),
    };
  });
}

function neighbour({ entity, label, x, y }: Drawn): VNode {
  const anchor = x > centre.x + 60 ? 'start' : x < centre.x - 60 ? 'end' : 'middle';
  const shift = anchor === 'start' ? 10 : anchor === 'end' ? -10 : 0;
  const below = anchor === 'middle' ? (y > centre.y ? 22 : -12) : 5;
  return el(
    'g',
    null,
    el('circle', { cx: x, cy: y, r: 6 }),
    el(
      'text',
      { x: x + shift, y: y + below, 'text-anchor': anchor },
      nameText(entity.name, 24),
      el('tspan', { class: 'quiet' }, ` ${label}`),
    ),
  );
}
