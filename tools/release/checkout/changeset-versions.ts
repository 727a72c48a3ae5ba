import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runProgram } from '../run-program.ts'
import { publicPackages } from '../npm/npm-step.ts'

/** Files of a checkout that changesets reads. */
const INPUTS = ['package.json', '*/package.json', 'pnpm-workspace.yaml', '.changeset']

/**
 * Runs `changeset version` in a copy of the manifests. Returns the version of each public package afterwards, by name.
 *
 * @param workDir - Folder for the copy, which is removed.
 * @param added - Text of a further changeset. Default: only those that are in the checkout.
 */
export async function changesetVersions(
  root: string,
  workDir: string,
  added?: string,
): Promise<ReadonlyMap<string, string>> {
  mkdirSync(workDir, { recursive: true })
  const copy = mkdtempSync(join(workDir, 'changesets-'))
  try {
    const { stdout } = await runProgram('git', ['ls-files', '-z', ...INPUTS], { cwd: root })
    for (const path of stdout.split('\0').filter(Boolean)) {
      mkdirSync(join(copy, dirname(path)), { recursive: true })
      cpSync(join(root, path), join(copy, path))
    }
    // Changesets looks for the generator of its changelog there.
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    if (added !== undefined) writeFileSync(join(copy, '.changeset', 'dry-run.md'), added)
    // Without any changeset, changesets changes nothing and ends with 1.
    if (readdirSync(join(copy, '.changeset')).some((name) => name.endsWith('.md'))) {
      await runProgram('git', ['init', '--quiet'], { cwd: copy })
      await runProgram(join(root, 'node_modules', '.bin', 'changeset'), ['version'], { cwd: copy })
    }
    return new Map(publicPackages(root).map(({ name, path }) => [name, versionIn(join(copy, path))]))
  } finally {
    rmSync(copy, { recursive: true })
  }
}

function versionIn(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string }
  return version
}

/** Returns the text of a changeset that raises one package by a patch version, and with it all that are versioned together. */
export function patchOf(packageName: string): string {
  return `---\n'${packageName}': patch\n---\n\nA dry run.\n`
}

/** Returns the version after a patch. */
export function nextPatch(version: string): string {
  return version.replace(/\d+$/, (patch) => `${Number(patch) + 1}`)
}
