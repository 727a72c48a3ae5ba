import { fakeClock, seededRandom, type FakeClock } from '@berth/clock/testing'
import { connectCluster, type ApiClient } from '@berth/k8s-client'
import { createApiServer } from '@berth/simulator'
import { silentLogger, type ApiHandler, type ApiRequest, type KubernetesObject } from '@berth/types'
import { configDefinition, type Config } from '../src/config.ts'
import { rotate, type Rotation } from '../src/rotation/rotate.ts'
import { rotationSettings } from '../src/rotation/rotation-settings.ts'
import { createSecretStore } from '../src/secrets/secret-store.ts'

const NAMESPACE = 'berth-system'
const core = (plural: string, kind: string) => ({ group: '', version: 'v1', plural, kind, namespaced: true })
const secrets = core('secrets', 'Secret')

interface Secret extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>
}

/** A process of the authority. */
export interface TestReplica {
  rotate(): Promise<Rotation>
}

/** An embedded API server with the Secrets of the authority, in virtual time. */
export interface AuthorityCluster {
  readonly clock: FakeClock
  readonly client: ApiClient
  readonly config: Config
  /** Starts a process. It remembers nothing of those before it. */
  replica(options?: { readonly clockErrorMs?: number }): TestReplica
  /** Returns the decoded data of a Secret; undefined if it does not exist. */
  data(name: string): Promise<Readonly<Record<string, string>> | undefined>
  change(name: string, data: Readonly<Record<string, string>>): Promise<void>
  remove(name: string): Promise<void>
  /** Receives each request of the replicas before the server does. When it throws, the server never does. */
  intercept(look: (request: ApiRequest) => void | Promise<void>): void
  setOutdatedSchedulers(count: number): void
}

/** Starts a cluster. Takes keys of the configuration that differ from the defaults. */
export async function startAuthorityCluster(keys: Partial<Config> = {}): Promise<AuthorityCluster> {
  const clock = fakeClock({ startMs: Date.parse('2026-01-01T00:00:00Z') })
  const server = createApiServer({ clock, random: seededRandom(1) })
  let look: Parameters<AuthorityCluster['intercept']>[0] = () => undefined
  const handler: ApiHandler = async (request) => {
    await look(request)
    return await server.handle(request)
  }
  const connect = (own: ApiHandler) =>
    connectCluster({ handler: own, log: silentLogger, clock, random: () => 0.5, qps: 0, userAgent: 'test' }).client
  const admin = connect(server.handle)
  const namespaces = { ...core('namespaces', 'Namespace'), namespaced: false }
  await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
  const defaults = configDefinition.fullSchema.parse({}) as Config
  const config: Config = { ...defaults, ...keys }
  let outdated = 0
  const find = (name: string) => admin.find<Secret>(secrets, { namespace: NAMESPACE, name })
  return {
    clock,
    client: admin,
    config,
    replica({ clockErrorMs = 0 } = {}) {
      const store = createSecretStore({
        client: connect(handler),
        namespace: NAMESPACE,
        owner: config.ownerConfigMap,
        mayWrite: () => true,
        signal: new AbortController().signal,
      })
      return {
        rotate: () =>
          rotate({
            ...rotationSettings(config),
            store,
            outdatedSchedulers: async () => outdated,
            now: () => clock.now() + clockErrorMs,
            log: silentLogger,
          }),
      }
    },
    async data(name) {
      const found = await find(name)
      return (
        found &&
        Object.fromEntries(
          Object.entries(found.data ?? {}).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]),
        )
      )
    },
    async change(name, data) {
      const found = await find(name)
      const encoded = Object.fromEntries(
        Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
      )
      if (found === undefined) {
        await admin.create(secrets, { metadata: { namespace: NAMESPACE, name }, data: encoded } as KubernetesObject)
      } else await admin.update(secrets, { ...found, data: { ...found.data, ...encoded } })
    },
    async remove(name) {
      await admin.delete(secrets, { namespace: NAMESPACE, name })
    },
    intercept: (next) => void (look = next),
    setOutdatedSchedulers: (count) => void (outdated = count),
  }
}
