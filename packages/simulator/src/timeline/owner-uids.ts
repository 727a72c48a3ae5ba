import { isObject, type JsonObject, listAt, stringAt } from '@berth/embedded-api-server'
import type { ApiHandler } from '@berth/types'

/** The client that replays a timeline. */
export const TIMELINE_USER_AGENT = 'berth-timeline'

/** Translates owner references of recorded writes. */
export interface OwnerUids {
  /**
   * Returns the body of a write with the uids that the owners have in this cluster. Leaves out owners that it does not have:
   * its garbage collector would delete the object.
   */
  translate(path: string, body: unknown): Promise<unknown>
  /** Number of references that were left out. */
  missing(): number
}

/** Creates a translator for the cluster behind a handler. It finds an owner by kind and name, as the recording names it. */
export function createOwnerUids(handle: ApiHandler): OwnerUids {
  /** By recorded uid, for patches that name an owner by its uid alone. */
  const uids = new Map<string, string>()
  let missing = 0

  const translated = async (reference: unknown, namespace: string): Promise<readonly JsonObject[]> => {
    if (!isObject(reference)) return []
    const recorded = stringAt(reference, 'uid')
    const isNamed = typeof reference['name'] === 'string' && typeof reference['kind'] === 'string'
    const uid = isNamed ? await ownerUid(handle, reference, namespace) : uids.get(recorded)
    if (uid === undefined) {
      missing++
      return []
    }
    uids.set(recorded, uid)
    return [{ ...reference, uid }]
  }
  const translatedAll = async (references: readonly unknown[], namespace: string): Promise<readonly JsonObject[]> => {
    const kept: JsonObject[] = []
    for (const reference of references) kept.push(...(await translated(reference, namespace)))
    return kept
  }
  /** A step of a JSON patch that adds or replaces owners, or undefined when none of them is here. */
  const translatedStep = async (step: unknown, namespace: string): Promise<readonly unknown[]> => {
    if (!isObject(step) || !/^\/metadata\/ownerReferences(?:\/|$)/.test(stringAt(step, 'path'))) return [step]
    const { value } = step
    if (Array.isArray(value)) return [{ ...step, value: await translatedAll(value, namespace) }]
    if (!isObject(value)) return [step]
    return (await translated(value, namespace)).map((reference) => ({ ...step, value: reference }))
  }

  return {
    missing: () => missing,
    async translate(path, body) {
      const namespace = /\/namespaces\/([^/?]+)\//.exec(path)?.[1] ?? ''
      if (Array.isArray(body)) {
        const steps: unknown[] = []
        for (const step of body) steps.push(...(await translatedStep(step, namespace)))
        return steps
      }
      if (!isObject(body) || !isObject(body['metadata'])) return body
      const { ownerReferences, ...metadata } = body['metadata']
      if (!Array.isArray(ownerReferences)) return body
      return { ...body, metadata: { ...metadata, ownerReferences: await translatedAll(ownerReferences, namespace) } }
    },
  }
}

/** Returns the uid of the owner; undefined when the cluster does not have it. */
async function ownerUid(handle: ApiHandler, reference: JsonObject, namespace: string): Promise<string | undefined> {
  const apiVersion = stringAt(reference, 'apiVersion')
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const kind = listAt(await read(handle, root), 'resources')
    .filter(isObject)
    .find((each) => each['kind'] === reference['kind'] && !stringAt(each, 'name').includes('/'))
  if (kind === undefined) return undefined
  const scope = kind['namespaced'] === true ? `/namespaces/${namespace}` : ''
  const name = encodeURIComponent(stringAt(reference, 'name'))
  const owner = await read(handle, `${root}${scope}/${stringAt(kind, 'name')}/${name}`)
  const uid = stringAt(owner, 'metadata', 'uid')
  return uid === '' ? undefined : uid
}

/** Returns the object at the path; an empty one when there is none. */
async function read(handle: ApiHandler, path: string): Promise<JsonObject> {
  const headers = { accept: 'application/json', 'user-agent': TIMELINE_USER_AGENT }
  const { status, body } = await handle({ method: 'GET', path, headers })
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const content: unknown = status === 200 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined
  return isObject(content) ? content : {}
}
