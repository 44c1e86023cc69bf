import { defineGroup } from '../frame/command.ts';

export const graphCommand = defineGroup(
  {
    search: {
      summary: 'find entities by name',
      load: async () => (await import('./graph-search.ts')).graphSearchCommand,
    },
    show: {
      summary: 'show an entity: an issue, incident, person, file, symbol and others',
      load: async () => (await import('./graph-show.ts')).graphShowCommand,
    },
    related: {
      summary: 'list what an entity is connected with, and why',
      load: async () => (await import('./graph-related.ts')).graphRelatedCommand,
    },
    impact: {
      summary: 'show what a change of a file or symbol touches',
      load: async () => (await import('./graph-impact.ts')).graphImpactCommand,
    },
  },
  'Asks the knowledge graph, which connects code, commits, issues, incidents and people.',
);
