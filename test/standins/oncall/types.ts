import { randomBytes } from 'node:crypto';

export type Region = 'us' | 'eu';

export interface User {
  readonly id: string;
  name: string;
  /** `admin` and `owner` may create subscriptions of the whole account. */
  role: 'owner' | 'admin' | 'user' | 'observer';
}

export interface Service {
  readonly id: string;
  name: string;
  description: string | null;
  status: 'active' | 'disabled';
}

/** One event as its subscriptions receive it, without id and time. */
export interface AccountEvent {
  readonly type: string;
  readonly resource: 'incident';
  readonly data: Readonly<Record<string, unknown>>;
  readonly agent: Readonly<Record<string, unknown>> | null;
}

/** One account of the provider in memory. */
export interface Account {
  readonly subdomain: string;
  readonly region: Region;
  /** Origin of its pages. A test may make it an address of somebody else. */
  webOrigin: string;
  readonly users: User[];
  readonly services: Service[];
  readonly incidents: Incidents;
  /** The person whose tokens the stand-in gives out. */
  viewer: User;
  now(): number;
  /** Moves the clock of the provider. */
  advance(ms: number): void;
  /** Stops the clock at a time, so that many incidents have the same; `undefined` lets it run. */
  freeze(at: number | undefined): void;
  addUser(name: string, role?: User['role']): User;
  addService(name: string, more?: Partial<Omit<Service, 'id'>>): Service;
  /** Called for each event, such as by the subscriptions. */
  onEvent: (event: AccountEvent) => void;
}

export interface Note {
  readonly id: string;
  readonly user: User;
  readonly createdAt: number;
  updatedAt: number;
  content: string;
}

export interface LogEntry {
  readonly id: string;
  readonly type: string;
  readonly createdAt: number;
  readonly agent: User | undefined;
  /** Text of the entry's channel. */
  readonly text: string | undefined;
}

export interface Alert {
  readonly id: string;
  readonly summary: string;
  readonly createdAt: number;
  /** What the sender of the alert gave, of any shape. */
  readonly details: unknown;
}

export interface Incident {
  readonly id: string;
  readonly number: number;
  title: string | null;
  status: 'triggered' | 'acknowledged' | 'resolved';
  urgency: 'high' | 'low';
  priority: string | undefined;
  service: Service;
  readonly createdAt: number;
  statusChangedAt: number;
  assignees: User[];
  acknowledgers: { readonly user: User; readonly at: number }[];
  mergedInto: Incident | undefined;
  readonly notes: Note[];
  readonly alerts: Alert[];
  /** Oldest first. */
  readonly log: LogEntry[];
}

export interface NewIncident {
  readonly title?: string | null;
  readonly urgency?: Incident['urgency'];
  readonly at?: number;
  /** Makes no event, as incidents from before the subscription. */
  readonly quiet?: boolean;
}

/** The incidents of one account, and what people do with them. Each change has the log entry and event it has there. */
export interface Incidents {
  readonly all: Incident[];
  find(id: string): Incident | undefined;
  trigger(service: Service, more?: NewIncident): Incident;
  acknowledge(incident: Incident, user?: User): void;
  resolve(incident: Incident, user?: User): void;
  reopen(incident: Incident): void;
  assign(incident: Incident, user: User): void;
  prioritize(incident: Incident, priority: string): void;
  annotate(incident: Incident, content: string, user?: User): Note;
  /** Edited and deleted notes have neither an event nor a log entry. */
  editNote(note: Note, content: string): void;
  deleteNote(incident: Incident, note: Note): void;
  /** Adds an alert, which has no event. */
  alert(incident: Incident, summary: string, details?: unknown): Alert;
  /** A title changes without an event and log entry. */
  retitle(incident: Incident, title: string): void;
  askResponder(incident: Incident, user: User): void;
  moveTo(incident: Incident, service: Service): void;
  /** Resolves `source`, with the target named. */
  merge(source: Incident, target: Incident): void;
  /** Adds entries that change nothing else. */
  addLog(incident: Incident, count: number, text?: string): void;
}

export function newId(letter: string): string {
  return `${letter}${randomBytes(7).toString('hex').slice(0, 13).toUpperCase()}`;
}
