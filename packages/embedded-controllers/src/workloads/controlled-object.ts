import type { ObjectMeta } from '@berth/types'
import { type ApiObject, isObject, type JsonObject, objectAt, valueAt } from '@berth/embedded-api-server'

/** The reference by which `owner` controls what it makes. */
export function controllerReference(owner: ApiObject): NonNullable<ObjectMeta['ownerReferences']>[number] {
  const { name = '', uid = '' } = owner.metadata
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** The storage key of the controller of an object, when it is of this kind: `namespace/name`, alone in a list; or none. */
export function controllerKey(object: ApiObject, kind: string): readonly string[] {
  const owner = (object.metadata.ownerReferences ?? []).find((each) => each.controller === true && each.kind === kind)
  return owner === undefined ? [] : [`${object.metadata.namespace}/${owner.name}`]
}

/** What a pod made from a template gets beside the template. */
export interface PodExtras {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  /** Changes the template's pod spec. */
  readonly spec?: (spec: JsonObject) => JsonObject
}

/** A pod out of the template of its controller: named as asked, else generated from the controller's name. */
export function podOfTemplate(owner: ApiObject, extras: PodExtras = {}): ApiObject {
  const { name = '', namespace = '' } = owner.metadata
  const template = valueAt(owner, 'spec', 'template', 'metadata') as ObjectMeta | undefined
  const labels = { ...template?.labels, ...extras.labels }
  const annotations = { ...template?.annotations, ...extras.annotations }
  const spec = objectAt(owner, 'spec', 'template', 'spec')
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(extras.finalizers === undefined ? {} : { finalizers: extras.finalizers }),
      ...(extras.name === undefined ? { generateName: `${name}-` } : { name: extras.name }),
      namespace,
      ownerReferences: [controllerReference(owner)],
    },
    spec: extras.spec?.(spec) ?? spec,
  }
}

/** The container lists of a pod spec with each container changed. */
export function withContainers(spec: JsonObject, change: (container: JsonObject) => JsonObject): JsonObject {
  const changed: Record<string, unknown> = { ...spec }
  for (const key of ['initContainers', 'containers']) {
    const list = valueAt(spec, key)
    if (Array.isArray(list)) changed[key] = list.map((each) => (isObject(each) ? change(each) : each))
  }
  return changed
}
