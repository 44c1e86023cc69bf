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
    sqlite: 'ca26cc7405c9d8109f29350401d74cfb361c1301643c4812712182980d6dad6b',
    postgres: '51e34cd935045f65cd023860a26191ffa778c1e756e1c995c608f8efbb2f4860',
  },
};
