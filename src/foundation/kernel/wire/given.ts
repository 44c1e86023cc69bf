type Given<T> = { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> } & {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
};

/** Removes the members that are `undefined`, for callees that distinguish absent from undefined. */
export function given<T extends object>(parts: T): Given<T> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as Given<T>;
}
