import { sql } from 'kysely';

/**
 * A common table expression `walk` for `with recursive`: one row per priority of the pending jobs, and one row with
 * null. There are few priorities, so one search per priority in the index of claims replaces a separate index by
 * time.
 */
export const priorities = sql`
  walk(priority) as (
    select max(j.priority) from jobs j where j.state = 'ready'
    union all
    select (select max(j.priority) from jobs j where j.state = 'ready' and j.priority < walk.priority)
    from walk where walk.priority is not null
  )`;
