import { cp, lutimes, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { helmBinary } from '@berth/testing'
import { artefactOf } from '../artefact.ts'
import { runProgram } from '../run-program.ts'
import type { ReleaseContext, ReleaseStep } from '../step.ts'

/** Files of a chart package; Helm's own list of ignored files does not know tests. */
const parts = [
  'Chart.yaml',
  'README.md',
  'values.yaml',
  'values.schema.json',
  'files',
  'profiles',
  'templates',
  '.helmignore',
]

/** Packages the chart and signs it with a key that exists only during the step. */
export const chartStep: ReleaseStep = {
  name: 'chart',
  summary: 'Helm chart with a provenance file',
  async build(context) {
    const { out, workDir, epochSeconds, version } = context
    const helm = await helmBinary()
    const chart = join(workDir, 'chart', 'berth')
    await copyChart(context, chart)
    // Helm keeps the modification times of the files.
    await setTimes(chart, epochSeconds)
    const { env, keyring } = await throwawayKey(workDir)
    const sign = ['--sign', '--key', KEY_NAME, '--keyring', keyring]
    await runProgram(helm, ['package', chart, '--destination', out, ...sign], { env })
    await rm(join(workDir, 'chart'), { recursive: true })
    const file = join(out, `berth-${version}.tgz`)
    return [
      await artefactOf(file, { note: 'Helm chart' }),
      await artefactOf(`${file}.prov`, { note: 'signed with a throwaway key', isReproducible: false }),
    ]
  },
  async check({ root, out, workDir, version }) {
    const helm = await helmBinary()
    const file = join(out, `berth-${version}.tgz`)
    const sentences: string[] = []
    await runProgram(helm, ['verify', file, '--keyring', join(workDir, 'gnupg', 'public.gpg')])
    sentences.push('helm verify accepts the signature')
    const profiles = (await readdir(join(root, 'charts/berth/profiles'))).filter((name) => name.endsWith('.yaml'))
    const inCluster = ['--namespace', 'berth-system', '--kube-version', '1.36.3']
    for (const profile of profiles) {
      const values = join(root, 'charts/berth/profiles', profile)
      await runProgram(helm, ['template', 'berth', file, ...inCluster, '--values', values])
    }
    return [...sentences, `renders with each of ${profiles.length} profiles`]
  },
}

const KEY_NAME = 'Berth dry run'

async function copyChart({ root }: ReleaseContext, target: string): Promise<void> {
  await mkdir(target, { recursive: true })
  const present = new Set(await readdir(join(root, 'charts/berth')))
  for (const part of parts)
    if (present.has(part)) await cp(join(root, 'charts/berth', part), join(target, part), { recursive: true })
}

async function setTimes(folder: string, epochSeconds: number): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true }))
    await lutimes(join(folder, entry), epochSeconds, epochSeconds)
}

/** Creates a key and exports it in the format that Helm reads. */
async function throwawayKey(workDir: string): Promise<{ env: { GNUPGHOME: string }; keyring: string }> {
  const home = join(workDir, 'gnupg')
  await mkdir(home, { mode: 0o700 })
  const env = { GNUPGHOME: home }
  const unattended = ['--batch', '--pinentry-mode', 'loopback', '--passphrase', '']
  await runProgram('gpg', [...unattended, '--quick-generate-key', KEY_NAME, 'rsa3072', 'sign', '1d'], { env })
  const keyring = join(home, 'secret.gpg')
  await runProgram('gpg', [...unattended, '--output', keyring, '--export-secret-keys', KEY_NAME], { env })
  await runProgram('gpg', ['--batch', '--output', join(home, 'public.gpg'), '--export', KEY_NAME], { env })
  await runProgram('gpgconf', ['--kill', 'all'], { env })
  return { env, keyring }
}
