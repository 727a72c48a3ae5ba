import { fakeClock, type FakeClock } from '@berth/clock/testing'
import { silentLogger, type ApiRequest, type KubernetesObject, type Logger } from '@berth/types'
import { expect } from 'vitest'
import { connectCluster, resourceRefs, type ReflectOptions, type Reflector } from '../src/index.ts'
import type { Fault, ListWatchServer } from '../src/testing.ts'

type Pod = KubernetesObject & {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string }
}
/** A pod in namespace `default`. */
export const pod = (name: string, uid = `uid-${name}`, labels: Record<string, string> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid, labels },
})

/** The answer of a fault instead of the server's. */
export type Answer = NonNullable<Fault['answer']>
/** The connection is refused. */
export const refused: Answer = () => Promise.reject(new Error('connect ECONNREFUSED'))

/** A reflector of pods under test, in virtual time. */
export interface ReflectorFixture {
  readonly clock: FakeClock
  readonly reflector: Reflector<KubernetesObject>
  /** The delivered changes in order: `+name`, `~name old>new`, `-name`. */
  readonly delivered: string[]
  /** Returns how often the whole collection was read. */
  readonly lists: () => number
}

/** Starts a reflector that mirrors the pods of a server in virtual time. */
export function start(
  server: Pick<ListWatchServer, 'handle' | 'requests'>,
  clock: FakeClock = fakeClock(),
  options: ReflectOptions<KubernetesObject> = {},
  log: Logger = silentLogger,
): ReflectorFixture {
  const cluster = connectCluster({
    handler: server.handle,
    log,
    clock,
    random: () => 0.5,
    userAgent: 'test',
  })
  const reflector = cluster.reflect(resourceRefs.pods, options)
  const delivered: string[] = []
  reflector.subscribe({
    onAdd: (object) => delivered.push(`+${object.metadata?.name}`),
    onUpdate: (old, object) =>
      delivered.push(`~${object.metadata?.name} ${old.metadata?.resourceVersion}>${object.metadata?.resourceVersion}`),
    onDelete: (object) => delivered.push(`-${object.metadata?.name}`),
  })
  const lists = (): number => server.requests.filter((request) => isRead(request)).length
  return { clock, reflector, delivered, lists }
}

/** Returns whether a request is a LIST or a WatchList. */
export function isRead(request: ApiRequest): boolean {
  return !request.path.includes('watch=1') || request.path.includes('sendInitialEvents')
}

/** Expects the mirror to hold the same objects as the server. */
export function expectEqual(reflector: Reflector<KubernetesObject>, server: ListWatchServer): void {
  const versions = (map: ReadonlyMap<string, KubernetesObject>): unknown =>
    [...map].map(([key, object]) => `${key} ${object.metadata?.resourceVersion}`).toSorted()
  expect(versions(reflector.store)).toEqual(versions(server.objects()))
}
