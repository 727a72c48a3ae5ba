import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contractFaults } from './contract-faults.ts'
import { flatContract } from './flat-contract.ts'
import { recordedPath } from './recorded-path.ts'

/**
 * Returns the recorded types of the contract, with additions.
 *
 * @param recorded - The record so far; undefined for a new version.
 * @throws Error naming each change that would break plugins of this version. Such a change needs a new version.
 */
export function recordContract(root: string, recorded = readRecorded(root)): string {
  const current = flatContract(root)
  const faults = recorded === undefined || recorded === current ? [] : contractFaults(root, recorded, current)
  if (faults.length === 0) return current
  throw new Error(
    `the plugin contract breaks what ${recordedPath} promises: ${faults.join('; ')}. Undo the change, or raise currentApiVersion in packages/plugin-api/src/contract/api-version.ts and keep accepting the previous version.`,
  )
}

function readRecorded(root: string): string | undefined {
  const path = join(root, recordedPath)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
