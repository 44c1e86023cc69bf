/**
 * SHA-256 of the statements of each migration, per dialect. A released migration never changes: a database that has
 * applied it would differ from a new one. Add a line with each new migration; change none.
 */
export const checksums: Readonly<Record<string, { readonly sqlite: string; readonly postgres: string }>> = {
  '0001-initial': {
    sqlite: '6bb1f57372ae65afc8ff8e14c0193c89b63980260abbfbf267ee60cc93208c86',
    postgres: '958fc0ba2de4f0d2f69da87d476208e2d0bc798f38dbbceb31961ca8acdd617a',
  },
  '0002-durable-core': {
    sqlite: 'cf8e28b660b71ec60fd10f7de16ae8e1217df38091288c012b518afb6f7b2f88',
    postgres: 'cf1d332d4b29052cfaf7c9aa242ed4aa4c0c897462c3932a8c3bcccf8da85225',
  },
};
