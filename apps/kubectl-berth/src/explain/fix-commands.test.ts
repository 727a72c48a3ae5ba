import type { Fix } from '@berth/fit-engine'
import type { Node, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { fixRecipe } from './fix-commands.ts'
import type { FixTarget } from './recipes/fix-recipe.ts'

const dongle = 'example.com/dongle'
const container = (name: string, requests: Record<string, string>) => ({
  name,
  resources: { requests, limits: requests },
})
const pod: Pod = {
  metadata: { name: 'demo-2', namespace: 'lab' },
  spec: { containers: [container('ctr', { [dongle]: '2' }), container('side', { cpu: '100m' })] },
}
const node: Node = {
  metadata: { name: 'node-a', annotations: { 'berth.dev/advertised': '{"example.com/dongle":"4"}' } },
  status: { allocatable: { [dongle]: '4', 'vendor.io/fpga': '1', cpu: '2' } },
}
const target = (more: Partial<FixTarget> = {}): FixTarget => ({
  pod,
  workload: undefined,
  file: undefined,
  nodeOf: (name) => (name === 'node-a' ? node : undefined),
  ...more,
})
const base = { cost: 1, sentence: '', verified: true, node: 'node-a' } as const
const lower = (resourceName: string, from: bigint, to: bigint): Fix => ({
  ...base,
  kind: 'lower-request',
  changes: [{ resourceName, from, to }],
})
const add = (resourceName: string, amount: bigint, nodeName = 'node-a'): Fix => ({
  ...base,
  node: nodeName,
  kind: 'add-capacity',
  additions: [{ resourceName, amount }],
})

const tolerateGpu: Fix = { ...base, kind: 'tolerate', tolerations: [{ key: 'dedicated', operator: 'Exists' }] }
const dropSelector = { ...base, kind: 'relax-rule', field: 'spec.nodeSelector["disk"]', value: undefined } as const
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'demo' }

describe('fixRecipe', () => {
  test.for<{ it: string; fix: Fix; on?: Partial<FixTarget>; commands: readonly string[]; note?: string }>([
    {
      it: 'recreates a lone pod with a lower request',
      fix: lower(dongle, 2n, 1n),
      commands: [
        `kubectl get pod demo-2 -n lab -o yaml | sed -e 's|example\\.com/dongle: "2"|example.com/dongle: "1"|' | kubectl replace --force -f -`,
      ],
      note: 'this recreates the pod: requests cannot be changed in place',
    },
    {
      it: 'lowers the request of the workload that makes the pod',
      fix: lower(dongle, 2n, 1n),
      on: { workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'demo' } },
      commands: [
        'kubectl set resources deployment/demo -n lab -c ctr --requests=example.com/dongle=1 --limits=example.com/dongle=1',
      ],
    },
    {
      it: 'sends the reader to the workload when several containers ask',
      fix: lower(dongle, 4n, 1n),
      on: {
        workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'demo' },
        pod: { ...pod, spec: { containers: [container('a', { [dongle]: '2' }), container('b', { [dongle]: '2' })] } },
      },
      commands: ['kubectl edit deployment/demo -n lab'],
    },
    {
      it: 'has the file of a lone pod edited when the amount may be written in many ways',
      fix: lower('cpu', 100n, 50n),
      commands: ['kubectl get pod demo-2 -n lab -o yaml > demo-2.yaml', 'kubectl replace --force -f demo-2.yaml'],
      note: 'between the two commands, set cpu=50m in the file: this cannot be changed in place',
    },
    {
      it: 'has the manifest edited that the pod was read from',
      fix: lower(dongle, 2n, 1n),
      on: { file: 'pod.yaml' },
      commands: ['kubectl apply -f pod.yaml'],
      note: 'first set example.com/dongle=1 in requests and limits of the manifest',
    },
    {
      it: 'quotes a file name that a shell would take apart',
      fix: lower(dongle, 2n, 1n),
      on: { file: "my pod's.yaml" },
      commands: [`kubectl apply -f 'my pod'\\''s.yaml'`],
      note: 'first set example.com/dongle=1 in requests and limits of the manifest',
    },
    {
      it: 'prints no command with the name of an owner that is none',
      fix: lower(dongle, 2n, 1n),
      on: { workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web -n default; touch X; #' } },
      commands: [],
      note: 'no command: "web -n default; touch X; #" is not a valid name',
    },
    {
      it: 'prints no command for an owner of another kind',
      fix: lower(dongle, 2n, 1n),
      on: { workload: { apiVersion: 'evil.example/v1', kind: 'Deployment', name: 'web' } },
      commands: [],
      note: 'set example.com/dongle=1 in the Deployment that owns the pod, web',
    },
    {
      it: 'deletes the pods that are in the way, namespace by namespace',
      fix: {
        ...base,
        kind: 'evict',
        pods: [
          { namespace: 'lab', name: 'a', uid: '1', priority: 0 },
          { namespace: 'shop', name: 'b', uid: '2', priority: 0 },
          { namespace: 'lab', name: 'c', uid: '3', priority: 0 },
        ],
      },
      commands: ['kubectl delete pod a c -n lab', 'kubectl delete pod b -n shop'],
    },
    {
      it: 'names the advertiser where Berth wrote the number',
      fix: add(dongle, 1n),
      commands: [],
      note: "set units in the configuration of Berth's advertiser for node node-a: example.com/dongle: 5",
    },
    {
      it: 'patches capacity and allocatable of a node that the advertiser does not manage',
      fix: add('vendor.io/fpga', 2n),
      commands: [
        `kubectl patch node node-a --subresource=status --type=merge -p '{"status":{"capacity":{"vendor.io/fpga":"3"},"allocatable":{"vendor.io/fpga":"3"}}}'`,
      ],
      note: 'only if the node really has these units and no device plugin advertises them',
    },
    {
      it: 'offers no command for what only a bigger machine has',
      fix: add('cpu', 500n),
      commands: [],
      note: 'this needs a larger machine or another node with cpu: 2500m',
    },
    {
      it: 'starts from nothing on a node that is not known',
      fix: add(dongle, 2n, 'node-x'),
      commands: [
        `kubectl patch node node-x --subresource=status --type=merge -p '{"status":{"capacity":{"example.com/dongle":"2"},"allocatable":{"example.com/dongle":"2"}}}'`,
      ],
      note: 'only if the node really has these units and no device plugin advertises them',
    },
    {
      it: 'adds a toleration to a lone pod in place, beside those that it has',
      fix: tolerateGpu,
      on: { pod: { ...pod, spec: { ...pod.spec, tolerations: [{ key: 'a', operator: 'Exists' }] } } },
      commands: [
        `kubectl patch pod/demo-2 -n lab --type=json -p '[{"op":"add","path":"/spec/tolerations","value":[{"key":"a","operator":"Exists"},{"key":"dedicated","operator":"Exists"}]}]'`,
      ],
    },
    {
      it: 'adds a toleration to the template, without those that admission gave the pod',
      fix: tolerateGpu,
      on: {
        workload: deployment,
        pod: {
          ...pod,
          spec: { ...pod.spec, tolerations: [{ key: 'node.kubernetes.io/not-ready', tolerationSeconds: 300 }] },
        },
      },
      commands: [
        `kubectl patch deployment/demo -n lab --type=json -p '[{"op":"add","path":"/spec/template/spec/tolerations","value":[{"key":"dedicated","operator":"Exists"}]}]'`,
      ],
    },
    {
      it: 'names the toleration for a Job, whose template cannot change',
      fix: tolerateGpu,
      on: { workload: { apiVersion: 'batch/v1', kind: 'Job', name: 'demo' } },
      commands: [],
      note: 'add [{"key":"dedicated","operator":"Exists"}] to the tolerations in the Job that owns the pod, demo',
    },
    {
      it: 'has a rule of the template edited',
      fix: dropSelector,
      on: { workload: deployment },
      commands: ['kubectl edit deployment/demo -n lab'],
      note: 'remove spec.nodeSelector["disk"] in the pod template',
    },
    {
      it: 'has a rule of a lone pod edited in a file',
      fix: dropSelector,
      commands: ['kubectl get pod demo-2 -n lab -o yaml > demo-2.yaml', 'kubectl replace --force -f demo-2.yaml'],
      note: 'between the two commands, remove spec.nodeSelector["disk"] in the file: this cannot be changed in place',
    },
    {
      it: 'has a rule of a manifest edited',
      fix: { ...dropSelector, value: 'ScheduleAnyway' },
      on: { file: 'pod.yaml' },
      commands: ['kubectl apply -f pod.yaml'],
      note: 'first set spec.nodeSelector["disk"] to ScheduleAnyway in the manifest',
    },
    {
      it: 'removes taints',
      fix: { ...base, kind: 'remove-taint', taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
      commands: ['kubectl taint nodes node-a a=b:NoSchedule-'],
      note: 'other pods may be placed on the node, too',
    },
    {
      it: 'uncordons',
      fix: { ...base, kind: 'uncordon' },
      commands: ['kubectl uncordon node-a'],
      note: 'other pods may be placed on the node, too',
    },
    {
      it: 'labels a node',
      fix: { ...base, kind: 'add-label', labels: { 'example.com/disk': 'ssd' } },
      commands: ['kubectl label node node-a example.com/disk=ssd --overwrite'],
      note: 'only if the label is true of the node',
    },
  ])('$it', ({ fix, on, commands, note }) => {
    expect(fixRecipe(fix, target(on))).toEqual({ commands, ...(note !== undefined && { note }) })
  })
})
