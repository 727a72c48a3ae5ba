export type { Encoding, Field, FieldType, Member, ObjectType, Scalar } from './object-type.ts'
export type { GroupVersionFile } from './generated-files.ts'
export { createSchema, type Kind, type Schema } from './schema.ts'
export {
  allGroupVersions,
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
} from './group-versions.ts'
