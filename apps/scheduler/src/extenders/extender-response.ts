import { type HostPriority, type MetaVictims, type Node, StatusCode } from '@berth/types'
import { z } from 'zod'
import { ExtenderError } from '../errors.ts'

/** The response of an extender to a filter call. */
export interface ExtenderVerdict {
  /** Nodes that the extender accepted, in the order of its response, without duplicates. */
  readonly passed: readonly string[]
  /** Every other node of the request. */
  readonly failed: ReadonlyMap<string, { readonly code: StatusCode; readonly reason: string }>
}

const fieldNames = [
  'Nodes',
  'NodeNames',
  'FailedNodes',
  'FailedAndUnresolvableNodes',
  'Error',
  'Host',
  'NodeNameToMetaVictims',
  'NumPDBViolations',
  'Pods',
  'UID',
  'Score',
] as const
const exactNames = new Map(fieldNames.map((name) => [name.toLowerCase(), name]))

/** Matches keys as Go's decoder does: ignores case, prefers the exact key, and ignores unknown keys. */
function matchGoKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const fields = new Map<string, unknown>()
  for (const [key, field] of Object.entries(value)) {
    const name = exactNames.get(key.toLowerCase())
    if (name !== undefined && (key === name || !fields.has(name))) fields.set(name, field)
  }
  return Object.fromEntries(fields)
}

/** Accepts null, for which Go's decoder leaves the zero value. */
const nullable = <T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> => schema.nullable().optional()
const reasons = z.preprocess(
  (value) => (typeof value === 'object' && !Array.isArray(value) ? new Map(Object.entries(value ?? {})) : value),
  z.map(z.string(), z.string()).default(new Map()),
)

const filterAnswer = z.preprocess(
  matchGoKeys,
  z
    .object({
      Nodes: nullable(
        z.object({ items: nullable(z.array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) }))) }),
      ),
      NodeNames: nullable(z.array(z.string())),
      FailedNodes: reasons,
      FailedAndUnresolvableNodes: reasons,
      Error: nullable(z.string()),
    })
    .nullable(),
)

const priorities = z
  .array(z.preprocess(matchGoKeys, z.object({ Host: z.string().default(''), Score: z.int().default(0) })))
  .nullable()

const metaVictims = z.preprocess(
  matchGoKeys,
  z.object({
    Pods: nullable(z.array(z.preprocess(matchGoKeys, z.object({ UID: z.string().default('') })))).transform(
      (pods) => pods ?? [],
    ),
    NumPDBViolations: z.int().default(0),
  }),
)
const preemptAnswer = z.preprocess(
  matchGoKeys,
  z
    .object({
      NodeNameToMetaVictims: z.preprocess(
        (value) => (typeof value === 'object' && !Array.isArray(value) ? new Map(Object.entries(value ?? {})) : value),
        z.map(z.string(), metaVictims).default(new Map()),
      ),
    })
    .nullable(),
)

const bindAnswer = z.preprocess(matchGoKeys, z.object({ Error: nullable(z.string()) }).nullable())

function throwInvalid(url: string, reason: string): never {
  throw new ExtenderError(`read answer of extender ${url}: ${reason}`, {
    code: 'BERTH_SCHEDULER_EXTENDER_ANSWER',
    retryable: true,
  })
}

function decode<T>(schema: z.ZodType<T>, url: string, text: string): T {
  if (text.trim() === '') throwInvalid(url, 'EOF')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throwInvalid(url, error instanceof Error ? error.message : 'not valid JSON')
  }
  const result = schema.safeParse(value)
  if (!result.success) throwInvalid(url, z.prettifyError(result.error).replaceAll('\n', ' '))
  return result.data
}

function throwRefusal(url: string, error: string | null | undefined): void {
  if (error === null || error === undefined || error === '') return
  throw new ExtenderError(error, { code: 'BERTH_SCHEDULER_EXTENDER_REFUSED', retryable: true })
}

/**
 * Reads the response to a filter call as kube-scheduler v1.36 does: NodeNames if the extender is nodeCacheCapable,
 * otherwise Nodes; if both are missing, no node passed. Stricter than upstream: a name that was not in the request is
 * an error in Nodes as well, and a node that the extender drops without a reason gets one.
 *
 * @throws ExtenderError BERTH_SCHEDULER_EXTENDER_ANSWER, BERTH_SCHEDULER_EXTENDER_REFUSED
 */
export function readFilterResponse(
  text: string,
  asked: readonly string[],
  { url, nodeCacheCapable }: { readonly url: string; readonly nodeCacheCapable: boolean },
): ExtenderVerdict {
  const answer = decode(filterAnswer, url, text)
  throwRefusal(url, answer?.Error)
  const names =
    (nodeCacheCapable ? answer?.NodeNames : undefined) ?? answer?.Nodes?.items?.map((node) => node.metadata.name) ?? []
  const open = new Set(asked)
  const passed = [...new Set(names)]
  for (const name of passed) {
    if (!open.delete(name)) {
      throwInvalid(url, `it claims a filtered node "${name}" which is not found in the input node list`)
    }
  }
  const failed = new Map<string, { code: StatusCode; reason: string }>()
  for (const name of open) {
    const unresolvable = answer?.FailedAndUnresolvableNodes.get(name)
    const reason = unresolvable ?? answer?.FailedNodes.get(name)
    const isResolvable = unresolvable === undefined && reason !== undefined
    failed.set(name, {
      code: isResolvable ? StatusCode.Unschedulable : StatusCode.UnschedulableAndUnresolvable,
      reason: reason ?? `node(s) were rejected without a reason by extender ${url}`,
    })
  }
  return { passed, failed }
}

/**
 * Reads the response to a prioritize call.
 *
 * @throws ExtenderError BERTH_SCHEDULER_EXTENDER_ANSWER
 */
export function readPrioritizeResponse(text: string, url: string): readonly HostPriority[] {
  return decode(priorities, url, text) ?? []
}

/**
 * Reads the response to a preempt call.
 *
 * @returns Node name -> victims. A node that is missing must not be used.
 * @throws ExtenderError BERTH_SCHEDULER_EXTENDER_ANSWER
 */
export function readPreemptResponse(text: string, url: string): ReadonlyMap<string, MetaVictims> {
  return decode(preemptAnswer, url, text)?.NodeNameToMetaVictims ?? new Map()
}

/**
 * Reads the response to a bind call. Returns normally when the extender reports that it bound the pod.
 *
 * @throws ExtenderError BERTH_SCHEDULER_EXTENDER_ANSWER, BERTH_SCHEDULER_EXTENDER_REFUSED
 */
export function readBindResponse(text: string, url: string): void {
  throwRefusal(url, decode(bindAnswer, url, text)?.Error)
}

/** Returns the node as it is sent: without managed fields, which extenders do not need. */
export function toWireNode(node: Node): Node {
  const { managedFields: _, ...metadata } = node.metadata
  return { ...node, metadata }
}
