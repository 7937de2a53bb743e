// @noble/post-quantum on what hashloom has made: noble.mjs NODE_MODULES exchange SET FOLDER | negative FOLDER
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [modules, command, ...args] = process.argv.slice(2);
const load = (name) => import(join(resolve(modules), '@noble', name));
const schemes = { ...(await load('post-quantum/slh-dsa.js')), ...(await load('post-quantum/ml-dsa.js')) };
const sha2 = await load('hashes/sha2.js');
const sha3 = await load('hashes/sha3.js');

const scheme = (set) => schemes[set.toLowerCase().replaceAll('-', '_').replace('ml_dsa_', 'ml_dsa')];
const hashes = {
  'SHA2-224': sha2.sha224, 'SHA2-256': sha2.sha256, 'SHA2-384': sha2.sha384, 'SHA2-512': sha2.sha512,
  'SHA2-512/224': sha2.sha512_224, 'SHA2-512/256': sha2.sha512_256,
  'SHA3-224': sha3.sha3_224, 'SHA3-256': sha3.sha3_256, 'SHA3-384': sha3.sha3_384, 'SHA3-512': sha3.sha3_512,
  'SHAKE128': sha3.shake128_32, 'SHAKE256': sha3.shake256_64,
};

// The signer of a group; noble has none for functions that are too weak for the set in its opinion.
function signerOf(scheme, { type, hash }) {
  if (/DsaVerify$/.test(type)) return scheme;
  if (/InternalVerify$/.test(type)) return scheme.internal;
  try {
    return scheme.prehash(hashes[hash]);
  } catch (error) {
    assert.match(error.message, /strength too low/);
    return undefined;
  }
}

// A signature that its functions throw at is refused as well.
function accepted(verify) {
  try {
    return verify();
  } catch {
    return false;
  }
}

function exchange(set, folder) {
  const at = (name) => join(folder, name);
  const read = (name) => new Uint8Array(readFileSync(at(name)));
  const { sign, verify, keygen } = scheme(set);
  const message = read('message');
  const context = new TextEncoder().encode('context');
  const ours = { secretKey: read('ours.key'), publicKey: read('ours.pub') };
  const signature = read('message.sig');
  assert(verify(signature, message, ours.publicKey, { context }));
  for (const place of [0, signature.length >> 1, signature.length - 1]) {
    const changed = signature.slice();
    changed[place] ^= 1;
    assert(!verify(changed, message, ours.publicKey, { context }));
  }
  assert(!verify(signature, message, ours.publicKey));
  writeFileSync(at('ours-1.sig'), signature);

  const theirs = keygen();
  writeFileSync(at('theirs.key'), theirs.secretKey);
  writeFileSync(at('theirs.pub'), theirs.publicKey);
  for (const [who, key] of Object.entries({ ours, theirs })) {
    const deterministic = sign(message, key.secretKey, { context, extraEntropy: false });
    writeFileSync(at(`${who}-2.sig`), deterministic);
    writeFileSync(at(`${who}-hedged.sig`), sign(message, key.secretKey, { context }));
  }
}

function negative(folder) {
  const bytes = (text = '') => new Uint8Array(Buffer.from(text, 'hex'));
  let tests = 0;
  let unasked = 0;
  for (const name of readdirSync(folder).filter((name) => name.startsWith('negative-'))) {
    const file = JSON.parse(gunzipSync(readFileSync(join(folder, name))));
    const of = scheme(file.algorithm);
    for (const group of file.testGroups) {
      const key = bytes(group.publicKey);
      const signer = signerOf(of, group);
      if (!signer) {
        unasked += group.tests.length;
        continue;
      }
      for (const test of group.tests) {
        const options = /InternalVerify$/.test(group.type) ? undefined : { context: bytes(test.ctx) };
        const verdict = accepted(() => signer.verify(bytes(test.sig), bytes(test.msg), key, options));
        assert.equal(verdict, test.result === 'valid', `${name}, tcId ${test.tcId}, ${test.comment}`);
        tests += 1;
      }
    }
  }
  assert(tests > 0);
  console.log(`negative vectors by noble: ${tests} passed, ${unasked} not asked (pre-hash function refused)`);
}

({ exchange, negative })[command](...args);
