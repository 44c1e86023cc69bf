/** The kinds of edges that the rules of this folder make. The graph stores no others. */
export { type EdgeKind, edgeKinds } from '../../../backends/graph/port.ts';
