import type { ExitRequest } from '@berth/process/shutdown'
import type { Clock } from '@berth/types'
import { chmodSync, chownSync, existsSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { checkAllocation } from './check-allocation.ts'
import { clearSocketDirectory } from './clear-socket-directory.ts'
import { ownSocketDirectory } from './own-socket-directory.ts'

/** Commands that the chart runs on nodes, besides the device plugin itself. */
export const nodeCommands = [
  'own-socket-directory',
  'clear-socket-directory',
  'remove-socket-directory',
  'check-allocation',
] as const

/** One of {@link nodeCommands}. */
export type NodeCommand = (typeof nodeCommands)[number]

/** Maximum time that `clear-socket-directory` waits for the device plugin to end. */
const CLEAR_TIMEOUT_MS = 60_000

/** Returns whether a word on the command line is one of {@link nodeCommands}. */
export function isNodeCommand(word: string | undefined): word is NodeCommand {
  return nodeCommands.some((command) => command === word)
}

/**
 * Runs a command that prints its result and exits.
 *
 * @param options.directory - The socket directory.
 * @param options.resourceName - The resource for `check-allocation`.
 */
export async function runNodeCommand(
  command: NodeCommand,
  options: {
    readonly directory: string
    readonly resourceName: string
    readonly env: Readonly<Record<string, string | undefined>>
    readonly clock: Clock
  },
): Promise<ExitRequest> {
  const { directory, resourceName, env, clock } = options
  switch (command) {
    case 'own-socket-directory': {
      ownSocketDirectory(directory, { chown: chownSync, chmod: chmodSync })
      return exit(0, [`the device plugin owns ${directory}`])
    }
    case 'clear-socket-directory': {
      const { deleted, remaining } = await clearSocketDirectory(directory, { timeoutMs: CLEAR_TIMEOUT_MS, clock })
      const lines = [...deleted.map((path) => `deleted ${path}, which refused connections`), ...remaining]
      return exit(remaining.length === 0 ? 0 : 1, lines)
    }
    case 'remove-socket-directory': {
      return await removeSocketDirectory(directory)
    }
    case 'check-allocation': {
      const { isOk, text } = checkAllocation(resourceName, { env, exists: existsSync })
      return exit(isOk ? 0 : 1, [text])
    }
  }
}

/** Removes the empty socket directory. Its parent belongs to root, so this runs as root. */
async function removeSocketDirectory(directory: string): Promise<ExitRequest> {
  try {
    await rmdir(directory)
    return exit(0, [`removed ${directory}`])
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? exit(0, []) : exit(1, [`cannot remove ${directory}: ${message}`])
  }
}

function exit(code: number, lines: readonly string[]): ExitRequest {
  return { kind: 'exit', code, text: lines.map((line) => `${line}\n`).join('') }
}
