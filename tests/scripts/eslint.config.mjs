// What ESLint asks of the project's JavaScript: its recommended rules, and further ones that find mistakes.
// `check` runs it.

import js from '@eslint/js';
import globals from 'globals';

/** Names of the window that a script means hardly ever: where a declaration is missing they would stand in
    its place. */
const CONFUSING = ['close', 'closed', 'event', 'find', 'focus', 'length', 'name', 'open', 'parent', 'print',
    'status', 'stop', 'top'];
const page = { ...globals.browser, ...Object.fromEntries(CONFUSING.map(name => [name, 'off'])) };

const MISTAKES = {
    'array-callback-return': 'error',
    'consistent-return': 'error',
    'default-case-last': 'error',
    'no-constructor-return': 'error',
    'no-duplicate-imports': 'error',
    'no-else-return': 'error',
    'no-eval': 'error',
    'no-implied-eval': 'error',
    'no-lonely-if': 'error',
    'no-redeclare': ['error', { builtinGlobals: false }],
    'no-self-compare': 'error',
    'no-template-curly-in-string': 'error',
    'no-throw-literal': 'error',
    'no-unreachable-loop': 'error',
    'no-unused-expressions': ['error', { allowShortCircuit: true, allowTernary: true }],
    // A property that is taken out by its name is not left over.
    'no-unused-vars': ['error', { ignoreRestSiblings: true }],
    'no-use-before-define': ['error', { functions: false, variables: false }],
    'no-useless-return': 'error',
    'no-var': 'error',
    'object-shorthand': 'error',
    'prefer-const': 'error',
    'prefer-promise-reject-errors': 'error',
    eqeqeq: 'error',
};

/** What one script of a page or a worker has of another one. */
const OTHERS = ['aboutBytes', 'fzstd', 'instantiate', 'isWhole', 'wasiShim'];
const others = Object.fromEntries(OTHERS.map(name => [name, 'readonly']));

/** Those of live/ that are no modules: a worker is made of several; and the service worker. */
const WORKERS = ['book/src/live/{worker,compile_worker,unpack_worker,program,whole}.js',
    'book/src/offline.js'];

export default [
    // What others have written, and what is made.
    { ignores: ['target/', 'book/book/', 'book/src/live/vendor/', 'book/src/live/player.js'] },
    js.configs.recommended,
    { linterOptions: { reportUnusedDisableDirectives: 'error' }, rules: MISTAKES },
    { files: ['book/**/*.js'], languageOptions: { sourceType: 'module', globals: { ...page, ...others } } },
    { files: ['book/theme/*.js', 'crates/view/src/film/*.js'],
        languageOptions: { sourceType: 'script', globals: { ...page, path_to_root: 'readonly' } } },
    { files: WORKERS, languageOptions: { sourceType: 'script',
        globals: { ...globals.worker, ...globals.serviceworker, ...others } } },
    // Functions of theirs run in pages.
    { files: ['tests/**/*.js'], languageOptions: { sourceType: 'commonjs',
        globals: { ...page, ...globals.node } } },
    { files: ['**/*.mjs'], languageOptions: { sourceType: 'module',
        globals: { ...globals.node, ...others } } },
];
