import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { artefactOf } from '../artefact.ts'
import { releaseBase } from '../images/debian-package.ts'
import { runProgram } from '../run-program.ts'
import { ReleaseError, type ReleaseStep } from '../step.ts'
import { billOfMaterials, type BillOfMaterials } from './bill-of-materials.ts'
import { bundledPackages } from './bundled-packages.ts'

/** Writes the software bill of materials: the packages in the bundles, those of the images' base, and Node. */
export const sbomStep: ReleaseStep = {
  name: 'sbom',
  summary: 'software bill of materials',
  async build({ root, out, version, epochSeconds }) {
    const contents = { version, epochSeconds, base: releaseBase, nodeVersion: process.versions.node }
    const bill = billOfMaterials({ ...contents, bundled: await bundledPackages(root) })
    const file = join(out, billName(version))
    await writeFile(file, `${JSON.stringify(bill, undefined, 2)}\n`)
    return [await artefactOf(file, { note: `CycloneDX 1.6, ${bill.components.length} components` })]
  },
  async check({ root, out, version }) {
    const purls = purlsOf(await readFile(join(out, billName(version)), 'utf8'))
    const npm = purls.filter((purl) => purl.startsWith('pkg:npm/'))
    // pnpm lists everything in the lockfile, tools included; a bundle has a part of it.
    const args = [join(root, 'tools/pnpm.mjs'), '--silent', 'sbom', '--sbom-format', 'cyclonedx', '--lockfile-only']
    const { stdout } = await runProgram('node', args, { cwd: root })
    const known = new Set(purlsOf(stdout.slice(stdout.indexOf('{'))))
    const unknown = npm.filter((purl) => !known.has(purl))
    if (npm.length === 0 || unknown.length > 0)
      throw new ReleaseError(`pnpm's list of packages lacks ${unknown.join(', ') || 'all packages'}`)
    return [`pnpm's own list from the lockfile has all ${npm.length} npm packages of the bundles`]
  },
}

function billName(version: string): string {
  return `berth_${version}.cdx.json`
}

function purlsOf(text: string): readonly string[] {
  return (JSON.parse(text) as BillOfMaterials).components.map(({ purl }) => purl)
}
