import { builtInKind } from './built-in-kinds.ts'
import type { ResourceKind } from './resource-kind.ts'

const REVIEWS = [
  ['authentication.k8s.io/v1', 'SelfSubjectReview'],
  ['authentication.k8s.io/v1', 'TokenReview'],
  ['authorization.k8s.io/v1', 'LocalSubjectAccessReview'],
  ['authorization.k8s.io/v1', 'SelfSubjectAccessReview'],
  ['authorization.k8s.io/v1', 'SelfSubjectRulesReview'],
  ['authorization.k8s.io/v1', 'SubjectAccessReview'],
] as const

/** Reviews: the server answers them when they are created and stores none. Discovery lists them like other resources. */
export const reviewKinds: readonly ResourceKind[] = REVIEWS.map(([apiVersion, kind]) => ({
  ...builtInKind(apiVersion, kind),
  shortNames: [],
  categories: [],
  hasGeneration: false,
  storage: '',
  isAnswered: true,
}))
