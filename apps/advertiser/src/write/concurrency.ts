/**
 * Maximum number of nodes that are written at the same time. It is what limits the requests in flight: the API server
 * queues them by its priority and fairness, and each one that it refuses (429) waits as long as the server says.
 */
export const CONCURRENCY = 16
