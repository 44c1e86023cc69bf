import { sql } from 'kysely';

/**
 * A table `walk` of the priorities of waiting jobs, and a row without one, for `with recursive`. They are few: with one
 * search each, the claim's order answers what would need an index by time of its own.
 */
export const priorities = sql`
  walk(priority) as (
    select max(j.priority) from jobs j where j.state = 'ready'
    union all
    select (select max(j.priority) from jobs j where j.state = 'ready' and j.priority < walk.priority)
    from walk where walk.priority is not null
  )`;
