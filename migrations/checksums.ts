/**
 * SHA-256 of the statements of each migration, per dialect. A released migration never changes: a database that has
 * applied it would differ from a new one. Add a line with each new migration; change none.
 */
export const checksums: Readonly<Record<string, { readonly sqlite: string; readonly postgres: string }>> = {
  '0001-initial': {
    sqlite: '6611fe6574371aee2e964efec3a746c2af220a3862b9603dd87d9d3b16ac79ba',
    postgres: '958fc0ba2de4f0d2f69da87d476208e2d0bc798f38dbbceb31961ca8acdd617a',
  },
};
