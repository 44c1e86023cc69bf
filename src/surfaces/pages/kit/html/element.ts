import { type ComponentChildren, h, type JSX, type VNode } from 'preact';

type Attributes<Tag extends keyof JSX.IntrinsicElements> = {
  readonly [Name in keyof JSX.IntrinsicElements[Tag]]?: JSX.IntrinsicElements[Tag][Name] | undefined;
} & { readonly [Name in `data-${string}`]?: string | undefined };

/**
 * Creates an HTML element; attributes that are `undefined` are left out. It replaces JSX, which Node's type stripping
 * does not support for programs that run from source (tests, benchmarks).
 */
export function el<Tag extends keyof JSX.IntrinsicElements>(
  tag: Tag,
  attributes: Attributes<Tag> | null,
  ...children: readonly ComponentChildren[]
): VNode {
  // By way of `unknown`: to compare the types of all attributes takes the type checker minutes.
  const given: unknown = attributes;
  return h(tag as string, given as Record<string, unknown> | null, ...children);
}
