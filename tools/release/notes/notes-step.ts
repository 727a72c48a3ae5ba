import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { artefactOf, sha256Of } from '../artefact.ts'
import { runProgram } from '../run-program.ts'
import { ReleaseError, type ReleaseStep } from '../step.ts'
import { releaseNotes } from './release-notes.ts'

const SUMS = 'SHA256SUMS'

/** Writes the release notes and the checksums of all files. Runs after the steps that make files. */
export const notesStep: ReleaseStep = {
  name: 'notes',
  summary: 'release notes and checksums',
  async build({ root, out, version }) {
    const notes = releaseNotes(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version)
    if (notes === '') throw new ReleaseError(`CHANGELOG.md has nothing about ${version}`)
    await writeFile(join(out, 'RELEASE-NOTES.md'), notes)
    // A provenance file differs with each signature, and is verified by its signature.
    const files = (await filesOf(out)).filter((name) => !name.endsWith('.prov') && name !== SUMS)
    const lines = await Promise.all(files.map(async (name) => `${await sha256Of(join(out, name))}  ${name}\n`))
    await writeFile(join(out, SUMS), lines.join(''))
    return await Promise.all(['RELEASE-NOTES.md', SUMS].map((name) => artefactOf(join(out, name))))
  },
  async check({ out }) {
    await runProgram('sha256sum', ['--check', '--strict', '--quiet', SUMS], { cwd: out })
    return ['sha256sum accepts the checksums']
  },
}

async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted()
}
