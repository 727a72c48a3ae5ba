import type { GroupVersionFile } from './generated-files.ts'
import admissionV1File from './gen/admission-v1.json' with { type: 'json' }
import admissionregistrationV1File from './gen/admissionregistration-v1.json' with { type: 'json' }
import apiextensionsV1File from './gen/apiextensions-v1.json' with { type: 'json' }
import appsV1File from './gen/apps-v1.json' with { type: 'json' }
import authenticationV1File from './gen/authentication-v1.json' with { type: 'json' }
import authorizationV1File from './gen/authorization-v1.json' with { type: 'json' }
import autoscalingV1File from './gen/autoscaling-v1.json' with { type: 'json' }
import autoscalingV2File from './gen/autoscaling-v2.json' with { type: 'json' }
import batchV1File from './gen/batch-v1.json' with { type: 'json' }
import certificatesV1File from './gen/certificates-v1.json' with { type: 'json' }
import coordinationV1File from './gen/coordination-v1.json' with { type: 'json' }
import coreV1File from './gen/core-v1.json' with { type: 'json' }
import discoveryV1File from './gen/discovery-v1.json' with { type: 'json' }
import eventsV1File from './gen/events-v1.json' with { type: 'json' }
import flowcontrolV1File from './gen/flowcontrol-v1.json' with { type: 'json' }
import metaV1File from './gen/meta-v1.json' with { type: 'json' }
import networkingV1File from './gen/networking-v1.json' with { type: 'json' }
import nodeV1File from './gen/node-v1.json' with { type: 'json' }
import policyV1File from './gen/policy-v1.json' with { type: 'json' }
import rbacV1File from './gen/rbac-v1.json' with { type: 'json' }
import resourceV1File from './gen/resource-v1.json' with { type: 'json' }
import schedulingV1File from './gen/scheduling-v1.json' with { type: 'json' }
import storageV1File from './gen/storage-v1.json' with { type: 'json' }

// One constant for each group version, so that a bundler drops those that an app does not import.
export const admissionV1: GroupVersionFile = admissionV1File
export const admissionregistrationV1: GroupVersionFile = admissionregistrationV1File
export const apiextensionsV1: GroupVersionFile = apiextensionsV1File
export const appsV1: GroupVersionFile = appsV1File
export const authenticationV1: GroupVersionFile = authenticationV1File
export const authorizationV1: GroupVersionFile = authorizationV1File
export const autoscalingV1: GroupVersionFile = autoscalingV1File
export const autoscalingV2: GroupVersionFile = autoscalingV2File
export const batchV1: GroupVersionFile = batchV1File
export const certificatesV1: GroupVersionFile = certificatesV1File
export const coordinationV1: GroupVersionFile = coordinationV1File
export const coreV1: GroupVersionFile = coreV1File
export const discoveryV1: GroupVersionFile = discoveryV1File
export const eventsV1: GroupVersionFile = eventsV1File
export const flowcontrolV1: GroupVersionFile = flowcontrolV1File
export const metaV1: GroupVersionFile = metaV1File
export const networkingV1: GroupVersionFile = networkingV1File
export const nodeV1: GroupVersionFile = nodeV1File
export const policyV1: GroupVersionFile = policyV1File
export const rbacV1: GroupVersionFile = rbacV1File
export const resourceV1: GroupVersionFile = resourceV1File
export const schedulingV1: GroupVersionFile = schedulingV1File
export const storageV1: GroupVersionFile = storageV1File

/** Every group version of this package: the stable ones of Kubernetes. */
export const allGroupVersions: readonly GroupVersionFile[] = [
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
