import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contractFaults } from './contract-faults.ts'
import { flatContract } from './flat-contract.ts'
import { recordedPath } from './recorded-path.ts'

/**
 * Returns the path and the text of the recorded types of the contract, with additions.
 *
 * @param recorded - The record so far. Default: the file; a new version has none.
 * @throws Error naming each change that would break plugins of this version. Such a change needs a new version.
 */
export function recordContract(root: string, recorded?: string): readonly [path: string, text: string] {
  const current = flatContract(root)
  const path = recordedPath(current)
  const before = recorded ?? (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : current)
  const faults = before === current ? [] : contractFaults(root, before, current)
  if (faults.length === 0) return [path, current]
  throw new Error(
    `the plugin contract breaks what ${path} promises: ${faults.join('; ')}. Undo the change, or raise currentApiVersion in packages/plugin-api/src/contract/api-version.ts and keep accepting the previous version.`,
  )
}
