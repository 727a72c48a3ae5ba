import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { workspacePackages } from '../../boundaries/workspace-packages.ts'
import { installedPackages, type AvailablePackage } from '../../publish/installed-packages.ts'
import { serveRegistry } from '../../publish/loopback-registry.ts'
import { outsideFolder } from '../../publish/outside-folder.ts'
import { packPackages, readPacked } from '../../publish/pack-packages.ts'
import { artefactOf } from '../artefact.ts'
import { ReleaseError, type ReleaseContext, type ReleaseStep } from '../step.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
}

/** The packages of the workspace that are published: those that are not private. */
export function publicPackages(root: string): readonly (Manifest & { readonly path: string })[] {
  return workspacePackages(root)
    .map(({ path }) => ({ path, ...(JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Manifest) }))
    .filter((manifest) => manifest.private !== true)
}

/** Packs the public packages as for npm. */
export const npmStep: ReleaseStep = {
  name: 'npm',
  summary: 'npm packages',
  async build({ root, out }) {
    const packages = publicPackages(root).map(({ path }) => path)
    const packed = await packPackages(root, packages, out)
    return await Promise.all(packed.map(({ name, path }) => artefactOf(path, { note: `npm ${name}` })))
  },
  check: installAndRun,
}

/** Installs the packed packages in an empty project, with npm on a loopback registry, and runs them. */
async function installAndRun({ root, out, version }: ReleaseContext): Promise<readonly string[]> {
  const own = publicPackages(root)
  const packed = await Promise.all(
    own.map(async ({ name }) => {
      const path = join(out, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
      const manifest = JSON.parse(await readPacked(path, 'package.json')) as AvailablePackage['manifest']
      return { name, version, manifest, path }
    }),
  )
  await using registry = await serveRegistry([...packed, ...installedPackages(root)])
  await using outside = await outsideFolder(registry)
  const pass = async (command: readonly [string, ...string[]]): Promise<string> => {
    const { status, output } = await outside.run(command)
    if (status !== 0) throw new ReleaseError(`${command.join(' ')}: ${output.slice(-2_000)}`)
    return output.trim()
  }
  await outside.write({ 'package.json': '{"type":"module"}' })
  await pass(['npm', 'install', '--no-save', ...packed.map(({ name }) => `${name}@${version}`)])
  const said = await pass(['npx', 'kubectl-berth', 'version'])
  if (said !== `kubectl-berth ${version}`) throw new ReleaseError(`npx kubectl-berth version: ${said}`)
  const entries = packed.flatMap(({ name, manifest: { exports } }) =>
    Object.keys(exports ?? {}).map((entry) => name + entry.slice(1)),
  )
  const imports = entries.map((entry) => `await import('${entry}')`).join('; ')
  await pass(['node', '--input-type=module', '--eval', imports])
  return [`${packed.length} packages install in an empty project; kubectl-berth runs, ${entries.length} entries load`]
}
