import type { ObjectMeta } from '@berth/types'
import { type ApiObject, isObject, type JsonObject, objectAt, valueAt } from '@berth/embedded-api-server'

/** Returns the owner reference that makes `owner` the controller of an object. */
export function controllerReference(owner: ApiObject): NonNullable<ObjectMeta['ownerReferences']>[number] {
  const { name = '', uid = '' } = owner.metadata
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** Returns the key (`namespace/name`) of an object's controller in a list, if it is of this kind; else an empty list. */
export function controllerKey(object: ApiObject, kind: string): readonly string[] {
  const owner = (object.metadata.ownerReferences ?? []).find((each) => each.controller === true && each.kind === kind)
  return owner === undefined ? [] : [`${object.metadata.namespace}/${owner.name}`]
}

/** Metadata that a controller adds to a pod from its template. */
export interface PodOverrides {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  /** Changes the template's pod spec. */
  readonly spec?: (spec: JsonObject) => JsonObject
}

/** Returns a pod from the template of its controller. Without a name, it gets one generated from the controller's name. */
export function podFromTemplate(owner: ApiObject, overrides: PodOverrides = {}): ApiObject {
  const { name = '', namespace = '' } = owner.metadata
  const template = valueAt(owner, 'spec', 'template', 'metadata') as ObjectMeta | undefined
  const labels = { ...template?.labels, ...overrides.labels }
  const annotations = { ...template?.annotations, ...overrides.annotations }
  const spec = objectAt(owner, 'spec', 'template', 'spec')
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(overrides.finalizers === undefined ? {} : { finalizers: overrides.finalizers }),
      ...(overrides.name === undefined ? { generateName: `${name}-` } : { name: overrides.name }),
      namespace,
      ownerReferences: [controllerReference(owner)],
    },
    spec: overrides.spec?.(spec) ?? spec,
  }
}

/** Returns a pod spec with every container changed. */
export function withContainers(spec: JsonObject, change: (container: JsonObject) => JsonObject): JsonObject {
  const changed: Record<string, unknown> = { ...spec }
  for (const key of ['initContainers', 'containers']) {
    const list = valueAt(spec, key)
    if (Array.isArray(list)) changed[key] = list.map((each) => (isObject(each) ? change(each) : each))
  }
  return changed
}
