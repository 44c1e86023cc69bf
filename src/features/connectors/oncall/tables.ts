declare module '../../../foundation/db/tables.ts' {
  interface Tables {
    oncall_log_entries: LogEntryRow;
  }
}

/** A log entry of an incident that has more of them than one page of the provider. It never changes. */
interface LogEntryRow {
  connection_id: string;
  incident_id: string;
  id: string;
  /** JSON of the entry as it was read. */
  entry: string;
}
