//! Rewrites a source file so that every fault is in it and a number chosen at run time says which is real.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    BinOp, Block, Expr, ExprBinary, ImplItemFn, Item, ItemFn, Lit, LitInt, ReturnType, Stmt, UnOp, parse_quote,
    spanned::Spanned,
    visit_mut::{self, VisitMut},
};

/// Functions that the compiler evaluates, where no fault can be switched on.
const EVALUATED: [&str; 3] = ["pow", "centred", "shifted"];

/// One fault.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What switches it on, from 1.
    pub number: usize,
    /// The file, below the root.
    pub file: String,
    /// The line in the original.
    pub line: usize,
    /// Where, what, and what instead: without line numbers, so that a written reason outlives an edit elsewhere.
    pub what: String,
}

/// Collects the faults of all files.
#[derive(Default)]
pub struct Planter {
    /// All so far.
    pub mutants: Vec<Mutant>,
    file: String,
    function: String,
}

impl Planter {
    /// The file with its faults.
    ///
    /// # Errors
    /// If the text is not Rust.
    pub fn plant(&mut self, file: &str, text: &str) -> syn::Result<String> {
        file.clone_into(&mut self.file);
        let mut parsed = syn::parse_file(text)?;
        self.visit_file_mut(&mut parsed);
        Ok(parsed.into_token_stream().to_string())
    }

    /// The condition under which a new fault is real.
    fn switch(&mut self, at: Span, original: impl ToTokens, instead: &str) -> TokenStream {
        let number = self.mutants.len() + 1;
        let original = original.to_token_stream().to_string();
        let mut what = format!("{}: `{original}` -> `{instead}`", self.function);
        let same = |mutant: &&Mutant| mutant.file == self.file && mutant.what.split(" #").next() == Some(&*what);
        let before = self.mutants.iter().filter(same).count();
        if before > 0 {
            what = format!("{what} #{}", before + 1);
        }
        self.mutants.push(Mutant { number, file: self.file.clone(), line: at.start().line, what });
        let number = proc_macro2::Literal::u32_unsuffixed(u32::try_from(number).expect("few mutants"));
        quote!(crate::planted(#number))
    }

    fn binary(&mut self, at: Span, original: &str, binary: &ExprBinary) -> Option<Expr> {
        let replacements = alternatives(&binary.op);
        // `if let` conditions are no values
        if replacements.is_empty() || has_let(&binary.left) || has_let(&binary.right) {
            return None;
        }
        let (left, op, right) = (&binary.left, &binary.op, &binary.right);
        // lengths of DER have sums alone
        let sum_only = matches!(**left, Expr::Try(_));
        let mut out = quote!((#left) #op (#right));
        if is_assignment(op) {
            out = quote!(#left #op (#right));
        }
        for replacement in replacements.into_iter().filter(|op| !(sum_only && matches!(op, BinOp::Mul(_)))) {
            let switch =
                self.switch(at, original.parse::<TokenStream>().ok()?, &replacement.to_token_stream().to_string());
            let changed = if is_assignment(op) {
                quote!(#left #replacement (#right))
            } else {
                quote!((#left) #replacement (#right))
            };
            out = quote!(if #switch { #changed } else { #out });
        }
        Some(parse_quote!((#out)))
    }

    /// Begins a function: what it could return at once.
    fn body(&mut self, at: Span, output: &ReturnType, block: &mut Block) {
        for value in returns(output) {
            let switch = self.switch(at, quote!(body), &value.to_string());
            let early: Stmt = parse_quote!(if #switch { return #value; });
            block.stmts.insert(0, early);
        }
    }
}

/// What an operator could have been.
fn alternatives(op: &BinOp) -> Vec<BinOp> {
    match op {
        BinOp::Eq(_) => vec![parse_quote!(!=)],
        BinOp::Ne(_) => vec![parse_quote!(==)],
        BinOp::Lt(_) => vec![parse_quote!(<=), parse_quote!(>)],
        BinOp::Le(_) => vec![parse_quote!(<), parse_quote!(>)],
        BinOp::Gt(_) => vec![parse_quote!(>=), parse_quote!(<)],
        BinOp::Ge(_) => vec![parse_quote!(>), parse_quote!(<)],
        BinOp::And(_) => vec![parse_quote!(||)],
        BinOp::Or(_) => vec![parse_quote!(&&)],
        BinOp::Add(_) => vec![parse_quote!(-), parse_quote!(*)],
        BinOp::Sub(_) | BinOp::Mul(_) => vec![parse_quote!(+)],
        BinOp::Div(_) => vec![parse_quote!(*), parse_quote!(%)],
        BinOp::Rem(_) => vec![parse_quote!(/)],
        BinOp::Shl(_) => vec![parse_quote!(>>)],
        BinOp::Shr(_) => vec![parse_quote!(<<)],
        BinOp::BitAnd(_) => vec![parse_quote!(|)],
        BinOp::BitOr(_) | BinOp::BitXor(_) => vec![parse_quote!(&)],
        BinOp::AddAssign(_) => vec![parse_quote!(-=)],
        BinOp::SubAssign(_) => vec![parse_quote!(+=)],
        _ => Vec::new(),
    }
}

fn is_assignment(op: &BinOp) -> bool {
    matches!(op, BinOp::AddAssign(_) | BinOp::SubAssign(_))
}

fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        Expr::Paren(paren) => has_let(&paren.expr),
        _ => false,
    }
}

/// Values of a return type that need no other value.
fn returns(output: &ReturnType) -> Vec<TokenStream> {
    let ReturnType::Type(_, output) = output else { return vec![quote!(())] };
    let name = output.to_token_stream().to_string().replace(' ', "");
    match name.as_str() {
        "bool" => vec![quote!(true), quote!(false)],
        "usize" | "u32" | "u64" => vec![quote!(0), quote!(1)],
        "Result<(),Error>" | "Result<(),signature::Error>" | "fmt::Result" => vec![quote!(Ok(()))],
        "Vec<Result<(),Error>>" | "Vec<u8>" | "String" => vec![quote!(Default::default())],
        "Result<Vec<u8>,Error>" => vec![quote!(Ok(Default::default()))],
        "Result<Option<Zeroizing<Vec<u8>>>,Error>" => vec![quote!(Ok(None))],
        _ => Vec::new(),
    }
}

/// Statements that can be left out: calls and assignments whose value nobody uses.
fn is_removable(expr: &Expr) -> bool {
    match expr {
        Expr::Call(_) | Expr::MethodCall(_) | Expr::Assign(_) => true,
        Expr::Try(inner) => is_removable(&inner.expr),
        _ => false,
    }
}

/// Marks of secrets and of what is public, and wiping: values do not depend on them, and they have tests of their own.
fn is_mark(stmt: &Stmt) -> bool {
    let Stmt::Expr(Expr::Call(call), Some(_)) = stmt else { return false };
    let function = call.func.to_token_stream().to_string().replace(' ', "");
    matches!(function.as_str(), "ct::secret" | "ct::public" | "wipe" | "wipe_stack")
}

/// The arguments of a call that uses up an iterator, which may borrow what comes after: they are made all the same.
fn moved(stmt: &Stmt) -> Option<TokenStream> {
    match stmt {
        Stmt::Expr(Expr::Call(call), _) if call.args.to_token_stream().to_string().contains("collect ::") => {
            Some(call.args.to_token_stream())
        }
        _ => None,
    }
}

fn is_test(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("cfg") && attr.to_token_stream().to_string().contains("test"))
}

impl VisitMut for Planter {
    fn visit_item_mut(&mut self, item: &mut Item) {
        match item {
            // evaluated by the compiler, where no fault can be switched on
            Item::Const(_) | Item::Static(_) | Item::Enum(_) | Item::Struct(_) | Item::Macro(_) => {}
            Item::Mod(module) if is_test(&module.attrs) => {}
            Item::Impl(found) => {
                let of = found.trait_.as_ref().map(|(_, path, _)| path.to_token_stream().to_string() + " for ");
                let name = of.unwrap_or_default() + &found.self_ty.to_token_stream().to_string();
                let before = std::mem::replace(&mut self.function, name.replace(' ', ""));
                visit_mut::visit_item_impl_mut(self, found);
                self.function = before;
            }
            other => visit_mut::visit_item_mut(self, other),
        }
    }

    fn visit_item_fn_mut(&mut self, item: &mut ItemFn) {
        if EVALUATED.contains(&item.sig.ident.to_string().as_str()) {
            return;
        }
        item.sig.constness = None;
        let before = self.function.clone();
        self.function = format!("{before}{}{}", if before.is_empty() { "" } else { "::" }, item.sig.ident);
        visit_mut::visit_block_mut(self, &mut item.block);
        self.body(item.sig.ident.span(), &item.sig.output, &mut item.block);
        self.function = before;
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut ImplItemFn) {
        item.sig.constness = None;
        let before = self.function.clone();
        self.function = format!("{before}::{}", item.sig.ident);
        visit_mut::visit_block_mut(self, &mut item.block);
        self.body(item.sig.ident.span(), &item.sig.output, &mut item.block);
        self.function = before;
    }

    fn visit_impl_item_const_mut(&mut self, _: &mut syn::ImplItemConst) {}
    fn visit_expr_const_mut(&mut self, _: &mut syn::ExprConst) {}
    fn visit_type_mut(&mut self, _: &mut syn::Type) {}
    fn visit_pat_mut(&mut self, _: &mut syn::Pat) {}
    fn visit_generic_argument_mut(&mut self, _: &mut syn::GenericArgument) {}
    fn visit_path_mut(&mut self, _: &mut syn::Path) {}
    fn visit_attribute_mut(&mut self, _: &mut syn::Attribute) {}
    fn visit_index_mut(&mut self, _: &mut syn::Index) {}

    fn visit_expr_reference_mut(&mut self, reference: &mut syn::ExprReference) {
        let inner = match &*reference.expr {
            Expr::Index(index) => &index.expr,
            _ => &reference.expr,
        };
        // a constant that outlives the function
        if reference.mutability.is_some() || !matches!(**inner, Expr::Repeat(_)) {
            visit_mut::visit_expr_reference_mut(self, reference);
        }
    }

    fn visit_expr_repeat_mut(&mut self, repeat: &mut syn::ExprRepeat) {
        self.visit_expr_mut(&mut repeat.expr); // the length is a constant
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if is_mark(stmt) {
            return;
        }
        let removable = match stmt {
            Stmt::Expr(expr, Some(_)) if is_removable(expr) => Some((expr.span(), expr.to_token_stream())),
            _ => None,
        };
        visit_mut::visit_stmt_mut(self, stmt);
        if let Some((at, original)) = removable {
            let switch = self.switch(at, original, "nothing");
            let kept = &*stmt;
            *stmt = match moved(kept) {
                Some(arguments) => parse_quote!(if #switch { let _ = (#arguments); } else { #kept }),
                None => parse_quote!(if !#switch { #kept }),
            };
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        let guard = arm.guard.as_ref().map(|(_, guard)| (guard.span(), guard.to_token_stream()));
        visit_mut::visit_arm_mut(self, arm);
        if let (Some((at, original)), Some((_, guard))) = (guard, &mut arm.guard) {
            let always = self.switch(at, &original, "true");
            let never = self.switch(at, &original, "false");
            let kept = &*guard;
            **guard = parse_quote!((if #always { true } else if #never { false } else { #kept }));
        }
    }

    fn visit_expr_if_mut(&mut self, found: &mut syn::ExprIf) {
        let plain = !matches!(*found.cond, Expr::Binary(_) | Expr::Let(_) | Expr::Unary(_));
        let original = (found.cond.span(), found.cond.to_token_stream());
        visit_mut::visit_expr_if_mut(self, found);
        if plain {
            let (at, text) = original;
            let (always, never) = (self.switch(at, &text, "true"), self.switch(at, &text, "false"));
            let kept = &found.cond;
            *found.cond = parse_quote!((if #always { true } else if #never { false } else { #kept }));
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let (at, original) = (expr.span(), expr.to_token_stream().to_string());
        visit_mut::visit_expr_mut(self, expr);
        let changed = match expr {
            Expr::Binary(binary) => self.binary(at, &original, binary),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                let inner = &unary.expr;
                let switch = self.switch(at, original.parse::<TokenStream>().unwrap_or_default(), "without !");
                Some(parse_quote!((if #switch { #inner } else { !#inner })))
            }
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(int) => int.base10_parse::<u64>().ok().map(|value| {
                    let next = LitInt::new(&format!("{}{}", value + 1, int.suffix()), int.span());
                    let switch = self.switch(at, int, &next.to_string());
                    parse_quote!((if #switch { #next } else { #int }))
                }),
                _ => None,
            },
            _ => None,
        };
        if let Some(changed) = changed {
            *expr = changed;
        }
    }
}
