import { listWatchServer, type ListWatchServer, type ListWatchServerOptions } from '@berth/k8s-client/testing'
import type { ApiHandler } from '@berth/types'

/** An API server with a collection for every requested plural. */
export interface ServedCluster {
  readonly handle: ApiHandler
  readonly nodes: ListWatchServer
  readonly pods: ListWatchServer
  /** Returns the collection of a plural, which is created on first use. */
  of(plural: string): ListWatchServer
  all(): Iterable<ListWatchServer>
}

export function serveCluster(options: ListWatchServerOptions = {}): ServedCluster {
  const servers = new Map<string, ListWatchServer>()
  const of = (plural: string): ListWatchServer => {
    const known = servers.get(plural) ?? listWatchServer(options)
    servers.set(plural, known)
    return known
  }
  return {
    handle: (request) => of(new URL(request.path, 'http://localhost').pathname.split('/').at(-1) ?? '').handle(request),
    nodes: of('nodes'),
    pods: of('pods'),
    of,
    all: () => servers.values(),
  }
}
