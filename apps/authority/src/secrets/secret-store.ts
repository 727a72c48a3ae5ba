import { isApiStatus, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import type { KubernetesObject, ObjectMeta } from '@berth/types'

/** The data of a Secret, decoded. */
export type SecretData = Readonly<Record<string, string>>

/** The result of reading a Secret. */
export interface SecretReading {
  /** That of a Secret that was deleted while this process ran is what it contained. Undefined: it is not known. */
  readonly data: SecretData | undefined
  readonly exists: boolean
}

/** Reads and writes the Secrets of the authority. */
export interface SecretStore {
  read(name: string): Promise<SecretReading>
  /**
   * Replaces the data of a Secret that was read before, or creates it.
   *
   * @throws ApiError 409 if another process has written it since.
   */
  write(name: string, data: SecretData, type: SecretType): Promise<void>
}

/** Type of a Secret. */
export type SecretType = 'Opaque' | 'kubernetes.io/tls'

/** Dependencies of a store. */
export interface SecretStoreOptions {
  readonly client: Pick<ApiClient, 'find' | 'create' | 'update'>
  readonly namespace: string
  /** ConfigMap of the installation that owns the Secrets, so that they are deleted with it. Undefined: none. */
  readonly owner: string | undefined
  /** Whether this process may write: false once it has lost its Lease. */
  readonly mayWrite: () => boolean
  readonly signal: AbortSignal
}

interface Secret extends KubernetesObject {
  readonly type?: string
  readonly data?: Readonly<Record<string, string>>
}

const FIELD_MANAGER = 'berth-authority'
const LABELS = { 'app.kubernetes.io/part-of': 'berth', 'app.kubernetes.io/managed-by': 'berth-authority' } as const
const core = (plural: string, kind: string): ResourceRef => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced: true,
})
const secrets = core('secrets', 'Secret')
const configMaps = core('configmaps', 'ConfigMap')

/** Creates a store, which remembers the data of each Secret. */
export function createSecretStore(options: SecretStoreOptions): SecretStore {
  const { client, namespace, owner, mayWrite, signal } = options
  const stored = new Map<string, Secret>()
  const remembered = new Map<string, SecretData>()
  const ownerReferences = async (): Promise<ObjectMeta['ownerReferences']> => {
    if (owner === undefined) return []
    const found = await client.find(configMaps, { namespace, name: owner }, { signal })
    const { uid } = found?.metadata ?? {}
    return uid === undefined ? [] : [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid }]
  }
  return {
    async read(name) {
      const found = await client.find<Secret>(secrets, { namespace, name }, { signal })
      if (found === undefined) {
        stored.delete(name)
        return { data: remembered.get(name), exists: false }
      }
      stored.set(name, found)
      const data = decoded(found.data ?? {})
      remembered.set(name, data)
      return { data, exists: true }
    },
    async write(name, data, type) {
      if (!mayWrite()) throw new Error(`write Secret ${namespace}/${name}: this process has lost its Lease`)
      const before = stored.get(name)
      const call = { fieldManager: FIELD_MANAGER, signal }
      const metadata = {
        ...before?.metadata,
        namespace,
        name,
        labels: { ...before?.metadata?.labels, ...LABELS },
        ownerReferences: (await ownerReferences()) ?? [],
      }
      const desired: Secret = { apiVersion: 'v1', kind: 'Secret', ...before, metadata, data: encoded(data) }
      const written =
        before === undefined
          ? await client.create<Secret>(secrets, { ...desired, type }, call)
          : await client.update<Secret>(secrets, desired, call)
      stored.set(name, written)
      remembered.set(name, data)
    },
  }
}

/** Whether a write failed because another process wrote the same Secret. */
export function isConflict(error: unknown): boolean {
  return isApiStatus(error, 409)
}

function decoded(data: Readonly<Record<string, string>>): SecretData {
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]))
}

function encoded(data: SecretData): SecretData {
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]))
}
