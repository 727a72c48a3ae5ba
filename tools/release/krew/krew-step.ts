import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { kubectlBinary } from '@berth/testing'
import { buildGoProgram } from '../../go/build-go-program.ts'
import { artefactOf, type Artefact } from '../artefact.ts'
import { archiveName } from '../executables/executables-step.ts'
import { targets } from '../executables/targets.ts'
import { runProgram } from '../run-program.ts'
import type { ReleaseContext, ReleaseStep } from '../step.ts'
import { krewManifest, krewPlugins, type KrewPlugin } from './krew-manifest.ts'
import { serveFolder } from './serve-folder.ts'

const module = join(import.meta.dirname, '..', 'modules', 'krew')

/** Writes the manifests for krew's index. krew's own validator installs each plugin on each platform. */
export const krewStep: ReleaseStep = {
  name: 'krew',
  summary: 'manifests of kubectl berth and kubectl brief for krew',
  reads: ['executables'],
  async build(context) {
    const artefacts: Artefact[] = []
    for (const plugin of krewPlugins) {
      const file = join(context.out, `${plugin.name}.yaml`)
      await writeFile(file, await manifestOf(plugin, context, context.downloadUrl))
      artefacts.push(await artefactOf(file, { note: `kubectl ${plugin.name}` }))
    }
    return artefacts
  },
  async check(context) {
    await validate(context)
    return [`validate-krew-manifest installs berth and brief on ${targets.length} platforms, from loopback`]
  },
}

async function manifestOf(plugin: KrewPlugin, { out, version }: ReleaseContext, url: string): Promise<string> {
  const archives = targets.map(async (target) => {
    const name = archiveName(version, target)
    return { target, url: `${url}/${name}`, sha256: (await artefactOf(join(out, name))).sha256 }
  })
  return krewManifest(plugin, version, await Promise.all(archives))
}

/** Validates manifests that differ from the released ones only in the address of the archives. */
async function validate(context: ReleaseContext): Promise<void> {
  const [validator, krew] = ['validate-krew-manifest', 'krew'].map((name) =>
    buildGoProgram({
      name,
      module,
      package: `sigs.k8s.io/krew/cmd/${name}`,
      files: ['go.mod', 'go.sum'],
      flags: ['-ldflags', '-s -w'],
    }),
  )
  const folder = await mkdtemp(join(tmpdir(), 'berth-krew-'))
  await using served = await serveFolder(context.out)
  try {
    const bin = join(folder, 'bin')
    await mkdir(bin)
    await symlink(await kubectlBinary({ candidates: [] }), join(bin, 'kubectl'))
    await symlink(krew ?? '', join(bin, 'kubectl-krew'))
    const env = { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`, TMPDIR: folder }
    for (const plugin of krewPlugins) {
      context.log(`krew: kubectl ${plugin.name}`)
      const file = join(folder, `${plugin.name}.yaml`)
      await writeFile(file, await manifestOf(plugin, context, served.url))
      await runProgram(validator ?? '', ['-manifest', file], { env })
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}
