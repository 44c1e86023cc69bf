import type { z } from 'zod';
import type { Complete } from '../client/selection.ts';
import type { TrackerConfiguration } from '../configuration.ts';

/** A shape with the fields that entities of every family have. */
export type EntityShape = z.ZodObject<{ id: z.ZodString; updatedAt: z.ZodString }>;

/** An entity of a shape with the whole of its lists. */
export type Answer<Shape extends z.ZodType> = Complete<z.output<Shape>>;

/** A family of entities of the provider, with the fields of each. */
export interface Family<Shape extends EntityShape = EntityShape> {
  /** Its name in jobs and rows: `issue-label`. Its names at the provider follow from it. */
  readonly name: string;
  readonly shape: Shape;
  /** Returns whether a configuration asks for it. */
  isOn(content: TrackerConfiguration['content']): boolean;
  /** Further arguments of its list. */
  readonly arguments?: string;
  /** True if the provider sends no webhooks of it. */
  readonly withoutEvents?: true;
  /** The families without which its entities cannot be rendered. */
  readonly dependsOn?: readonly string[];
}

/** Returns the provider's names of a family, such as `issueLabel` and `IssueLabel`: of the field, and of the type. */
export function namesOf(name: string): { readonly field: string; readonly type: string } {
  const type = name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return { field: type.charAt(0).toLowerCase() + type.slice(1), type };
}
