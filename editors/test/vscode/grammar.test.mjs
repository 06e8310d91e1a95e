// The grammar of AMDGPU assembly, by VS Code's own tokenizer: what each word of real and of rare lines is taken for.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';
import { cache, here, repository } from '../bench.mjs';

const modules = join(cache, 'code-server/node_modules/code-server/lib/vscode/node_modules');
const grammarFile = join(here, '../vscode/syntaxes/amdgpu.tmLanguage.json');

async function load() {
  const require = createRequire(join(modules, 'x.js'));
  const { Registry, parseRawGrammar, INITIAL } = require('vscode-textmate'), oniguruma = require('vscode-oniguruma');
  await oniguruma.loadWASM(readFileSync(join(modules, 'vscode-oniguruma/release/onig.wasm')).buffer);
  const registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner: sources => new oniguruma.OnigScanner(sources), createOnigString: text => new oniguruma.OnigString(text) }),
    loadGrammar: async () => parseRawGrammar(readFileSync(grammarFile, 'utf8'), grammarFile),
  });
  const grammar = await registry.loadGrammar('source.amdgpu');
  /** The words of a text, each with its innermost scope. */
  return text => {
    let state = INITIAL;
    return text.split('\n').flatMap(line => {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
      state = ruleStack;
      return tokens.map(t => [line.slice(t.startIndex, t.endIndex).trim(), t.scopes.at(-1).replace(/\.amdgpu$/, '')]).filter(([word]) => word);
    });
  };
}

test('the grammar of AMDGPU assembly', async t => {
  if (!existsSync(join(modules, 'vscode-textmate'))) {
    const reason = 'vscode-textmate comes with code-server, which is not installed (editors/test.sh installs it)';
    if (process.env.CI) throw new Error(reason);
    return t.skip(reason);
  }
  const words = await load();
  for (const [line, ...want] of [
    ['window_filter_0: ; @window_filter_0', ['window_filter_0', 'entity.name.function'], ['; @window_filter_0', 'comment.line']],
    ['.LBB0_12:', ['.LBB0_12', 'entity.name.label']],
    ['\t.loc\t1 27 4', ['.loc', 'keyword.control.directive'], ['1', 'constant.numeric'], ['27', 'constant.numeric']],
    ['\tv_fma_f32 v60, s68, v[10:11], 0', ['v_fma_f32', 'support.function.vector'], ['v60', 'variable.parameter.register.vector'], ['s68', 'variable.parameter.register.scalar'],
      ['v[10:11]', 'variable.parameter.register.vector'], ['0', 'constant.numeric']],
    ['\tv_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]', ['v_mfma_f32_16x16x16_f16', 'support.function.matrix'], ['a[0:3]', 'variable.parameter.register.accumulator']],
    ['\tglobal_load_dwordx4 v[8:11], v[54:55], off offset:80', ['global_load_dwordx4', 'support.function.memory'], ['offset', 'entity.other.attribute-name'], ['80', 'constant.numeric']],
    ['\ts_load_dwordx2 s[8:9], s[0:1], 0x10', ['s_load_dwordx2', 'support.function.memory'], ['0x10', 'constant.numeric']],
    ['\ts_add_u32 s4, s4, vcc_lo', ['s_add_u32', 'support.function.scalar'], ['vcc_lo', 'variable.language.register']],
    ['\ts_waitcnt vmcnt(0) lgkmcnt(0)', ['s_waitcnt', 'constant.language.wait'], ['vmcnt', 'entity.other.attribute-name']],
    ['\ts_cbranch_scc1 .LBB0_12', ['s_cbranch_scc1', 'keyword.control.branch'], ['.LBB0_12', 'variable.other.label']],
    ['\tscratch_store_dword off, v4, s33 offset:8 ; 4-byte Folded Spill', ['scratch_store_dword', 'support.function.memory'], ['; 4-byte Folded Spill', 'comment.line']],
    ['\tv_dual_mov_b32 v0, v1 :: v_dual_add_f32 v2, v3, v4', ['v_dual_mov_b32', 'support.function.vector'], ['v_dual_add_f32', 'support.function.vector']],
    ['\tv_mov_b32_e32 v0 /*v256*/, -1.0', ['-1.0', 'constant.numeric']],
    ['\t.amdgcn_target "amdgcn-amd-amdhsa--gfx942"', ['.amdgcn_target', 'keyword.control.directive'], ['amdgcn-amd-amdhsa--gfx942', 'string.quoted.double']],
  ]) {
    const got = words(line);
    for (const pair of want) assert.ok(got.some(g => g[0] === pair[0] && g[1] === pair[1]), `${line}\nwant ${pair}\ngot ${got.join(' | ')}`);
  }
  // Of a real file, every mnemonic and every register is known.
  const text = readFileSync(join(repository, 'testdata/hip/after/kernels-hip-amdgcn-amd-amdhsa-gfx942.s'), 'utf8');
  const body = text.slice(text.indexOf('smooth:'), text.indexOf('s_endpgm', text.indexOf('smooth:')));
  const plain = words(body).filter(([word, scope]) => scope === 'source' && /\w/.test(word));
  assert.deepEqual([...new Set(plain.map(([word]) => word).filter(word => /^(?:[vs]_|ds_|global_)|\b[vsa]\d|\b[vsa]\[/.test(word)))], []);
});
