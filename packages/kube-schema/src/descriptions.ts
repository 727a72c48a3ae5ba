import admissionV1 from './gen/descriptions/admission-v1.json' with { type: 'json' }
import admissionregistrationV1 from './gen/descriptions/admissionregistration-v1.json' with { type: 'json' }
import apiextensionsV1 from './gen/descriptions/apiextensions-v1.json' with { type: 'json' }
import appsV1 from './gen/descriptions/apps-v1.json' with { type: 'json' }
import authenticationV1 from './gen/descriptions/authentication-v1.json' with { type: 'json' }
import authorizationV1 from './gen/descriptions/authorization-v1.json' with { type: 'json' }
import autoscalingV1 from './gen/descriptions/autoscaling-v1.json' with { type: 'json' }
import autoscalingV2 from './gen/descriptions/autoscaling-v2.json' with { type: 'json' }
import batchV1 from './gen/descriptions/batch-v1.json' with { type: 'json' }
import certificatesV1 from './gen/descriptions/certificates-v1.json' with { type: 'json' }
import coordinationV1 from './gen/descriptions/coordination-v1.json' with { type: 'json' }
import coreV1 from './gen/descriptions/core-v1.json' with { type: 'json' }
import discoveryV1 from './gen/descriptions/discovery-v1.json' with { type: 'json' }
import eventsV1 from './gen/descriptions/events-v1.json' with { type: 'json' }
import flowcontrolV1 from './gen/descriptions/flowcontrol-v1.json' with { type: 'json' }
import metaV1 from './gen/descriptions/meta-v1.json' with { type: 'json' }
import networkingV1 from './gen/descriptions/networking-v1.json' with { type: 'json' }
import nodeV1 from './gen/descriptions/node-v1.json' with { type: 'json' }
import policyV1 from './gen/descriptions/policy-v1.json' with { type: 'json' }
import rbacV1 from './gen/descriptions/rbac-v1.json' with { type: 'json' }
import resourceV1 from './gen/descriptions/resource-v1.json' with { type: 'json' }
import schedulingV1 from './gen/descriptions/scheduling-v1.json' with { type: 'json' }
import storageV1 from './gen/descriptions/storage-v1.json' with { type: 'json' }

/** Upstream's documentation of a type and its fields. */
export interface TypeDescription {
  readonly description?: string
  /** By the field's JSON name. */
  readonly fields: Readonly<Record<string, string>>
}

interface DescriptionsFile {
  readonly package: string
  readonly types: Readonly<Record<string, TypeDescription>>
}

const FILES: readonly DescriptionsFile[] = [
  admissionV1,
  admissionregistrationV1,
  apiextensionsV1,
  appsV1,
  authenticationV1,
  authorizationV1,
  autoscalingV1,
  autoscalingV2,
  batchV1,
  certificatesV1,
  coordinationV1,
  coreV1,
  discoveryV1,
  eventsV1,
  flowcontrolV1,
  metaV1,
  networkingV1,
  nodeV1,
  policyV1,
  rbacV1,
  resourceV1,
  schedulingV1,
  storageV1,
]

const descriptions: ReadonlyMap<string, TypeDescription> = new Map(
  FILES.flatMap((file) =>
    Object.entries(file.types).map(([name, entry]) => [`${file.package}.${name}`, entry] as const),
  ),
)

/**
 * Returns the descriptions of a type and its fields.
 *
 * @param modelName - OpenAPI name, such as `io.k8s.api.core.v1.Pod`.
 */
export function descriptionsOf(modelName: string): TypeDescription | undefined {
  return descriptions.get(modelName)
}
