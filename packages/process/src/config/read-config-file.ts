import { errorText } from '@berth/text/error-text'
import { readFileSync } from 'node:fs'
import { ConfigError } from '../errors.ts'
import { parseYamlTree } from './parse-yaml-tree.ts'

/** Reads a whole file as text. Throws as `node:fs` does. */
export type ReadFile = (path: string) => string

/** Reads a UTF-8 file from disk. */
export const readFileFromDisk: ReadFile = (path) => readFileSync(path, 'utf8')

/**
 * Reads a configuration file: one YAML (or JSON) mapping.
 *
 * @returns The keys of the file; none for an empty file.
 * @throws ConfigError BERTH_CONFIG_READ naming file, line and reason.
 */
export function readConfigFile(path: string, readFile: ReadFile): Readonly<Record<string, unknown>> {
  const fail = (
    reason: string,
    cause?: unknown,
    hint = 'The file must be one YAML mapping of keys. --print-config prints an example.',
  ): never => {
    throw new ConfigError(`read configuration file ${path}: ${reason}`, { code: 'BERTH_CONFIG_READ', cause, hint })
  }
  let text = ''
  try {
    text = readFile(path)
  } catch (error) {
    const reason = error instanceof Error ? systemReason(error) : String(error)
    fail(reason, error, 'Name a file that this user can read with --config.')
  }
  let content: unknown
  try {
    content = parseYamlTree(text)
  } catch (error) {
    fail(errorText(error), error)
  }
  if (content === null || content === undefined) return {}
  if (typeof content !== 'object' || Array.isArray(content)) return fail('it is not a mapping of keys')
  return content as Readonly<Record<string, unknown>>
}

// "ENOENT: no such file or directory, open '/x'" -> "no such file or directory"
function systemReason(error: Error): string {
  return /^[A-Z]+: (?<reason>[^,]+)/.exec(error.message)?.groups?.['reason'] ?? error.message
}
