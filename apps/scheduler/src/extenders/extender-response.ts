import { type HostPriority, type MetaVictims, type Node, StatusCode } from '@berth/types'
import { z } from 'zod'
import { ExtenderError } from '../errors.ts'

/** What an extender said of the nodes that it was asked about. */
export interface ExtenderVerdict {
  /** Names that may be used, in the order of the answer, each once. */
  readonly passed: readonly string[]
  /** Every other name that it was asked about. */
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

/** Go's decoder matches keys without regard to case and prefers the exact one; unknown keys are ignored. */
function goObject(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const fields = new Map<string, unknown>()
  for (const [key, field] of Object.entries(value)) {
    const name = exactNames.get(key.toLowerCase())
    if (name !== undefined && (key === name || !fields.has(name))) fields.set(name, field)
  }
  return Object.fromEntries(fields)
}

/** Go leaves the zero value where JSON says null. */
const orNull = <T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> => schema.nullable().optional()
const reasons = z.preprocess(
  (value) => (typeof value === 'object' && !Array.isArray(value) ? new Map(Object.entries(value ?? {})) : value),
  z.map(z.string(), z.string()).default(new Map()),
)

const filterAnswer = z.preprocess(
  goObject,
  z
    .object({
      Nodes: orNull(
        z.object({ items: orNull(z.array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) }))) }),
      ),
      NodeNames: orNull(z.array(z.string())),
      FailedNodes: reasons,
      FailedAndUnresolvableNodes: reasons,
      Error: orNull(z.string()),
    })
    .nullable(),
)

const priorities = z
  .array(z.preprocess(goObject, z.object({ Host: z.string().default(''), Score: z.int().default(0) })))
  .nullable()

const metaVictims = z.preprocess(
  goObject,
  z.object({
    Pods: orNull(z.array(z.preprocess(goObject, z.object({ UID: z.string().default('') })))).transform(
      (pods) => pods ?? [],
    ),
    NumPDBViolations: z.int().default(0),
  }),
)
const preemptAnswer = z.preprocess(
  goObject,
  z
    .object({
      NodeNameToMetaVictims: z.preprocess(
        (value) => (typeof value === 'object' && !Array.isArray(value) ? new Map(Object.entries(value ?? {})) : value),
        z.map(z.string(), metaVictims).default(new Map()),
      ),
    })
    .nullable(),
)

const bindAnswer = z.preprocess(goObject, z.object({ Error: orNull(z.string()) }).nullable())

function refuse(url: string, reason: string): never {
  throw new ExtenderError(`read answer of extender ${url}: ${reason}`, {
    code: 'BERTH_SCHEDULER_EXTENDER_ANSWER',
    retryable: true,
  })
}

function decode<T>(schema: z.ZodType<T>, url: string, text: string): T {
  if (text.trim() === '') refuse(url, 'EOF')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    refuse(url, error instanceof Error ? error.message : 'no JSON')
  }
  const result = schema.safeParse(value)
  if (!result.success) refuse(url, z.prettifyError(result.error).replaceAll('\n', ' '))
  return result.data
}

function throwRefusal(url: string, error: string | null | undefined): void {
  if (error === null || error === undefined || error === '') return
  throw new ExtenderError(error, { code: 'BERTH_SCHEDULER_EXTENDER_REFUSED', retryable: true })
}

/**
 * Reads the answer to a filter call as kube-scheduler v1.36 does: NodeNames from an extender that knows nodes by
 * name, otherwise Nodes, otherwise nothing passed. Stricter than upstream: names that were not asked about are an
 * error in Nodes too, and a node that is dropped without a word gets a reason.
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
      refuse(url, `it claims a filtered node "${name}" which is not found in the input node list`)
    }
  }
  const failed = new Map<string, { code: StatusCode; reason: string }>()
  for (const name of open) {
    const unresolvable = answer?.FailedAndUnresolvableNodes.get(name)
    const reason = unresolvable ?? answer?.FailedNodes.get(name)
    const isResolvable = unresolvable === undefined && reason !== undefined
    failed.set(name, {
      code: isResolvable ? StatusCode.Unschedulable : StatusCode.UnschedulableAndUnresolvable,
      reason: reason ?? `node(s) were turned away without a reason by extender ${url}`,
    })
  }
  return { passed, failed }
}

/**
 * Reads the answer to a prioritize call.
 *
 * @throws ExtenderError BERTH_SCHEDULER_EXTENDER_ANSWER
 */
export function readPrioritizeResponse(text: string, url: string): readonly HostPriority[] {
  return decode(priorities, url, text) ?? []
}

/**
 * Reads the answer to a preempt call.
 *
 * @returns Node name -> victims; nodes that are not there are not to be used.
 * @throws ExtenderError BERTH_SCHEDULER_EXTENDER_ANSWER
 */
export function readPreemptResponse(text: string, url: string): ReadonlyMap<string, MetaVictims> {
  return decode(preemptAnswer, url, text)?.NodeNameToMetaVictims ?? new Map()
}

/**
 * Reads the answer to a bind call; returns when the extender says that it bound.
 *
 * @throws ExtenderError BERTH_SCHEDULER_EXTENDER_ANSWER, BERTH_SCHEDULER_EXTENDER_REFUSED
 */
export function readBindResponse(text: string, url: string): void {
  throwRefusal(url, decode(bindAnswer, url, text)?.Error)
}

/** A node as the wire shows it: without managed fields, which an extender has no use for. */
export function toWireNode(node: Node): Node {
  const { managedFields: _, ...metadata } = node.metadata
  return { ...node, metadata }
}
