import { errorText } from '@berth/text/error-text'
import { ConfigError, issueSentences, parseYamlTree, pathText, type ReadFile } from '@berth/process/config'
import { z } from 'zod'
import { kubeSchedulerConfiguration } from './kube-scheduler-configuration.ts'
import { refuseLegacyPolicy } from './legacy-policy.ts'

const fileSchema = z
  .strictObject(kubeSchedulerConfiguration)
  .refine(({ podInitialBackoffSeconds, podMaxBackoffSeconds }) => podMaxBackoffSeconds >= podInitialBackoffSeconds, {
    message: 'must be greater than or equal to podInitialBackoffSeconds',
    path: ['podMaxBackoffSeconds'],
  })

/** A KubeSchedulerConfiguration, defaults filled in. */
export type SchedulerConfiguration = z.output<typeof fileSchema>

/**
 * Reads a KubeSchedulerConfiguration file.
 *
 * @param path - Undefined: every default.
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_INVALID, BERTH_SCHEDULER_CONFIG_POLICY
 */
export function readSchedulerConfiguration(path: string | undefined, readFile: ReadFile): SchedulerConfiguration {
  if (path === undefined) return fileSchema.parse({})
  const text = readText(path, readFile)
  refuseLegacyPolicy(path, text)
  const content = parse(path, text)
  const parsed = fileSchema.safeParse(withoutNulls(content) ?? {})
  if (parsed.success) return parsed.data
  const root = z.toJSONSchema(fileSchema, { io: 'input' })
  throw invalidConfiguration(
    path,
    issueSentences(parsed.error.issues, root as Parameters<typeof issueSentences>[1]).map(
      ({ path: key, text: reason }) => `${pathText(key) || 'the document'}: ${reason}`,
    ),
  )
}

function parse(path: string, text: string): unknown {
  try {
    return parseYamlTree(text)
  } catch (error) {
    throw invalidConfiguration(path, [errorText(error)], error)
  }
}

/** Removes the keys whose value is null: like Go's decoder, the schema then sees their defaults. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === null ? [] : [[key, withoutNulls(inner)]])),
  )
}

function readText(path: string, readFile: ReadFile): string {
  try {
    return readFile(path)
  } catch (error) {
    throw invalidConfiguration(path, [errorText(error)], error)
  }
}

/** Creates the error for a configuration file that cannot be used. */
export function invalidConfiguration(path: string, reasons: readonly string[], cause?: unknown): ConfigError {
  return new ConfigError(`read KubeSchedulerConfiguration ${path}: ${reasons.join('; ')}`, {
    code: 'BERTH_SCHEDULER_CONFIG_INVALID',
    hint: 'Use the keys of kubescheduler.config.k8s.io/v1.',
    cause,
  })
}
