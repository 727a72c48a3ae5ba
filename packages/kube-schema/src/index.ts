export type { Encoding, Field, FieldType, Member, ObjectType, Scalar } from './object-type.ts'
export type { GroupVersionFile } from './generated-files.ts'
export { createSchema, type Kind, type Schema } from './schema.ts'
/** The stable group versions of Kubernetes, one constant each: `groupVersions.coreV1`. */
export * as groupVersions from './gen/index.ts'
