import { createSchema, groupVersions, type Kind, type ObjectType, type Schema } from '@berth/kube-schema'

/** The kinds and types of Kubernetes v1.36. */
export const kubeSchema: Schema = createSchema(Object.values(groupVersions))

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** The type of `metadata`, which all kinds share. */
export const objectMetaType: ObjectType = requireType(`${META}.ObjectMeta`)

/**
 * Looks up a kind in a request body. Kinds of `meta/v1`, such as `DeleteOptions`, belong to every group version.
 *
 * @param apiVersion - `v1` or `apps/v1`.
 */
export function sentKind(apiVersion: string, kind: string): Kind | undefined {
  return kubeSchema.kind(apiVersion, kind) ?? kubeSchema.kind('meta.k8s.io/v1', kind)
}

/** Returns the type of a kind. Fails when the schema does not have the kind. */
export function typeOfKind(apiVersion: string, kind: string): ObjectType {
  return (kubeSchema.kind(apiVersion, kind) ?? missing(`${apiVersion} ${kind}`)).type
}

function requireType(modelName: string): ObjectType {
  return kubeSchema.type(modelName) ?? missing(modelName)
}

function missing(name: string): never {
  throw new Error(`the schema lacks ${name}`)
}
