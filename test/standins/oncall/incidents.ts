import { incidentData, noteData, responderData } from './replies.ts';
import { type Account, type Incident, type Incidents, type Note, newId, type User } from './types.ts';

export function createIncidents(account: Account): Incidents {
  const all: Incident[] = [];
  const byId = new Map<string, Incident>();

  function log(incident: Incident, type: string, agent?: User, text?: string, at = account.now()): void {
    incident.log.push({ id: newId('R'), type, createdAt: at, agent, text });
  }

  function emit(type: string, data: object, agent?: User): void {
    account.onEvent({
      type: `incident.${type}`,
      resource: 'incident',
      data: data as Record<string, unknown>,
      agent: agent === undefined ? null : { id: agent.id, type: 'user_reference', summary: agent.name },
    });
  }

  function changed(incident: Incident, event: string, entry: string, agent?: User, text?: string): void {
    log(incident, entry, agent, text);
    emit(event, incidentData(account, incident), agent);
  }

  function setStatus(incident: Incident, status: Incident['status']): void {
    incident.status = status;
    incident.statusChangedAt = account.now();
  }

  const incidents: Incidents = {
    all,
    find: (id) => byId.get(id),
    trigger(service, { title = `Incident ${all.length + 1}`, urgency = 'high', at, quiet = false } = {}) {
      const createdAt = at ?? account.now();
      const incident: Incident = {
        id: newId('Q'),
        number: all.length + 1,
        title,
        status: 'triggered',
        urgency,
        priority: undefined,
        service,
        createdAt,
        statusChangedAt: createdAt,
        assignees: [account.viewer],
        acknowledgers: [],
        mergedInto: undefined,
        notes: [],
        alerts: [],
        log: [],
      };
      all.push(incident);
      byId.set(incident.id, incident);
      log(incident, 'trigger_log_entry', undefined, 'Triggered through the API', createdAt);
      if (!quiet) emit('triggered', incidentData(account, incident));
      return incident;
    },
    acknowledge(incident, user = account.viewer) {
      setStatus(incident, 'acknowledged');
      incident.acknowledgers.push({ user, at: account.now() });
      changed(incident, 'acknowledged', 'acknowledge_log_entry', user);
    },
    resolve(incident, user = account.viewer) {
      setStatus(incident, 'resolved');
      changed(incident, 'resolved', 'resolve_log_entry', user);
    },
    reopen(incident) {
      setStatus(incident, 'triggered');
      incident.acknowledgers = [];
      changed(incident, 'reopened', 'reopen_log_entry');
    },
    assign(incident, user) {
      incident.assignees = [user];
      changed(incident, 'reassigned', 'assign_log_entry', user);
    },
    prioritize(incident, priority) {
      incident.priority = priority;
      changed(incident, 'priority_updated', 'priority_change_log_entry');
    },
    annotate(incident, content, user = account.viewer) {
      const at = account.now();
      const note: Note = { id: newId('N'), user, createdAt: at, updatedAt: at, content };
      incident.notes.push(note);
      log(incident, 'annotate_log_entry', user, content);
      emit('annotated', noteData(account, incident, note), user);
      return note;
    },
    editNote(note, content) {
      note.content = content;
      note.updatedAt = account.now();
    },
    deleteNote(incident, note) {
      incident.notes.splice(incident.notes.indexOf(note), 1);
    },
    alert(incident, summary, details) {
      const alert = { id: newId('A'), summary, createdAt: account.now(), details };
      incident.alerts.push(alert);
      return alert;
    },
    retitle: (incident, title) => void (incident.title = title),
    askResponder(incident, user) {
      log(incident, 'responder_request_log_entry', account.viewer, `Asked ${user.name}`);
      emit('responder.added', responderData(account, incident, user), account.viewer);
    },
    moveTo(incident, service) {
      incident.service = service;
      changed(incident, 'service_updated', 'field_value_change_log_entry', account.viewer, 'Service changed');
    },
    merge(source, target) {
      source.mergedInto = target;
      setStatus(source, 'resolved');
      log(target, 'merge_log_entry', account.viewer, `Merged ${source.id}`);
      changed(source, 'resolved', 'resolve_log_entry', account.viewer);
    },
    addLog(incident, count, text = 'Notified by e-mail') {
      for (let n = 0; n < count; n += 1) log(incident, 'notify_log_entry', undefined, `${text} ${n}`);
    },
  };
  return incidents;
}
