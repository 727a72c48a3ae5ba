import { extendedResourceNameKeywords, qualifiedNameProblem, validateExtendedResourceName } from '@berth/types'
import { z } from 'zod'

/**
 * Schema of an argument that names an extended resource, such as example.com/dongle, by the rules of the API server. Add
 * `.describe(…)`.
 */
export const extendedResourceName: z.ZodType<string, string> = z
  .string()
  .superRefine((name, context) => {
    const problem = validateExtendedResourceName(name)
    if (problem === undefined) return
    context.addIssue({ code: 'custom', message: `"${name}" is not an extended resource: ${problem}` })
  })
  .meta(extendedResourceNameKeywords)

/** The resources of Kubernetes itself that pods request. */
const nativeResource = /^(?:cpu|memory|ephemeral-storage|hugepages-[0-9]+[KMGTPE]i)$/

/**
 * Schema of an argument that names any resource which pods request: cpu, memory, ephemeral-storage, huge pages or an
 * extended resource. Add `.describe(…)`.
 */
export const resourceName: z.ZodType<string, string> = z.string().superRefine((name, context) => {
  const problem = nativeResource.test(name) ? undefined : validateExtendedResourceName(name)
  if (problem === undefined) return
  const expected = 'cpu, memory, ephemeral-storage, hugepages-SIZE and extended resources can be named'
  context.addIssue({ code: 'custom', message: `"${name}" is not a resource: ${problem}; ${expected}` })
})

/** Schema of an argument that names a label or an annotation, such as example.com/rack or rack. Add `.describe(…)`. */
export const qualifiedName: z.ZodType<string, string> = z.string().superRefine((name, context) => {
  const problem = qualifiedNameProblem(name)
  if (problem === undefined) return
  context.addIssue({ code: 'custom', message: `"${name}" cannot name a label or an annotation: ${problem}` })
})

/**
 * Schema of an argument that names an object in a namespace, such as a ConfigMap, as NAMESPACE/NAME. Add
 * `.describe(…)`.
 */
export const namespacedName: z.ZodType<string, string> = z
  .string()
  .max(63 + 1 + 253)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'expected NAMESPACE/NAME')
