//! A GPU or the simulator, behind one set of verbs, named as cudarc names them.
//!
//! ```text
//! let device = Device::open(DeviceChoice::Auto)?;
//! let kernel = device.load_module(kernels::get("ch3_blocks")?)?.load_function("reduceInterleaved")?;
//! let idata = device.clone_htod(&data)?;
//! let odata = device.alloc_zeros::<i32>(grid)?;
//! device.launch_builder(&kernel).arg(&idata).arg(&odata).arg(&n).launch(LaunchConfig::new(grid, block))?;
//! let partial = device.clone_dtoh(&odata)?;
//! ```
