import { type ComponentChildren, h, type JSX, type VNode } from 'preact';

type Attributes<Tag extends keyof JSX.IntrinsicElements> = {
  readonly [Name in keyof JSX.IntrinsicElements[Tag]]?: JSX.IntrinsicElements[Tag][Name] | undefined;
};

/**
 * An HTML element; attributes that are `undefined` are left out. A function and not JSX, since programs that run from
 * source (tests, benches) are stripped of their types by Node, which reads no JSX.
 */
export function el<Tag extends keyof JSX.IntrinsicElements>(
  tag: Tag,
  attributes: Attributes<Tag> | null,
  ...children: readonly ComponentChildren[]
): VNode {
  return h(tag as string, attributes as Record<string, unknown> | null, ...children);
}
